/*
 * Preloaded into qemu on arm64. It rounds each piece of translated code up to a line of the instruction cache. On some processors
 * (Neoverse N1) the kernel reports a line of 4096 bytes; then 128 MiB hold 16,000 pieces, fewer than one statement of ClickHouse needs,
 * and each statement is translated anew.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name) {
  static long (*next)(int);
  if (name == _SC_LEVEL1_ICACHE_LINESIZE || name == _SC_LEVEL1_DCACHE_LINESIZE) return 64;
  if (!next) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return next(name);
}
