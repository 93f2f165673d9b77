/** Entry of the console: a single page; the address decides what it shows. */
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/marks.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { request } from './api/request.ts'
import { retryDelay, shouldRetry } from './api/retries.ts'
import { endSessionOn401 } from './api/session.ts'
import { App } from './app.tsx'

const onError = (error: unknown) => endSessionOn401(client, error)
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // The first part of a query's key is the path that it reads.
      queryFn: ({ queryKey, signal }) => request(String(queryKey[0]), { signal }),
      refetchOnWindowFocus: false,
      staleTime: 15_000,
      retry: shouldRetry,
      retryDelay,
    },
  },
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root"')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
