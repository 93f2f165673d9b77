/** Build of the console: all files are served from this host, under names with a hash of their content. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `npx vite console` serves the pages and forwards API requests to this server. */
const DEV_SERVER = 'http://127.0.0.1:8025'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Files inlined into CSS would need `data:` in the Content-Security-Policy.
  // One style sheet: a page that is loaded later would otherwise be drawn without its own if that failed to load once.
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
  },
  server: { proxy: { '/v1': DEV_SERVER, '/docs': DEV_SERVER, '/openapi': DEV_SERVER } },
})
