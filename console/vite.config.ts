/** How the console is built: everything from this folder, nothing from outside, file names that change with what is in them. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** A server of one's own for `npx vite console`, which reloads as files change. */
const DEV_SERVER = 'http://127.0.0.1:8025'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Fonts and images inside of CSS would need `data:` in the page's policy.
  build: { outDir: join(import.meta.dirname, 'dist'), emptyOutDir: true, target: 'es2023', assetsInlineLimit: 0 },
  server: { proxy: { '/v1': DEV_SERVER, '/docs': DEV_SERVER, '/openapi': DEV_SERVER } },
})
