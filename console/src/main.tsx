/** The console's entry: one page, drawn by what the address says. */
import './styles/tokens.css'
import './styles/base.css'
import './styles/marks.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/request.ts'
import { endSession } from './api/session.ts'
import { App } from './app.tsx'

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) endSession(client)
    },
  }),
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      staleTime: 15_000,
      // What was refused is refused again; what did not get through may.
      retry: (failures, error) => error instanceof ApiError && [0, 503].includes(error.status) && failures < 2,
    },
    mutations: {
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) endSession(client)
      },
    },
  },
})

const root = document.getElementById('root')
if (!root) throw new Error('the page has no place to draw in')
createRoot(root).render(
  <StrictMode>
    {/* The page's policy allows no inline styles. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
