# Envelog as a container: see docs/install.md. The image has the program, its Node and the libraries that Node needs; no shell.
#
#   docker build --tag envelog .

# Any Debian 12 with npm.
ARG BUILDER=node:24-bookworm-slim

FROM ${BUILDER} AS build
WORKDIR /src
COPY . .
# COPY makes everything root's, and gives an owner only to what is not there yet: the data folder is copied by itself.
RUN npm ci && npm run package:image /image && mkdir /data && mv /image/var/lib/envelog /data/

FROM scratch
COPY --from=build /image /
COPY --from=build --chown=10025:10025 /data /var/lib
ENV PATH=/usr/bin \
    MALLOC_ARENA_MAX=2 \
    ENVELOG_HOST=0.0.0.0 \
    ENVELOG_DATA_DIR=/var/lib/envelog
USER 10025:10025
WORKDIR /var/lib/envelog
VOLUME ["/var/lib/envelog"]
EXPOSE 8025
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/usr/bin/node", "-e", "fetch('http://127.0.0.1:8025/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/envelog"]
CMD ["serve"]
