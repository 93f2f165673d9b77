/** Routes: which page an address shows, and to which keys. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { Redirect, Route, Router, Switch, useLocation, useRouter, useSearch } from 'wouter'
import type { Tenants } from '../../src/http/v1/administration/tenants.wire.ts'
import { baseOf, tenantIn } from './api/reading.ts'
import { type Principal, type Session, SessionContext, useSession } from './api/session.ts'
import { CrashBoundary } from './frame/crash-boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { lazyPart } from './frame/lazy-part.tsx'
import { listPages } from './frame/pages.ts'
import { Empty, Failure, Skeleton } from './kit/states.tsx'
import { LogPage } from './log/log-page.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'

const OverviewPage = lazyPart(() => import('./overview/overview-page.tsx'))
const DomainsPage = lazyPart(() => import('./domains/domains-page.tsx'))
const DomainPage = lazyPart(() => import('./domains/domain-page.tsx'))
const SendingPage = lazyPart(() => import('./sending/sending-page.tsx'))
const OperatorPages = lazyPart(() => import('./operator/operator-pages.tsx'))

export function App() {
  const session = useSession()
  if (session.isPending) return null
  if (session.isError) {
    return (
      <main className="alone">
        <Failure what="Could not start the console" error={session.error} onRetry={session.refetch} />
      </main>
    )
  }
  if (!session.data) return <SignInPage />
  return <SignedIn session={session.data} />
}

function SignedIn({ session }: { readonly session: Session }) {
  const [path] = useLocation()
  const query = useSearch()
  const base = baseOf(tenantIn(path))
  return (
    <SessionContext value={session}>
      <Router base={base}>
        <Frame>
          <CrashBoundary at={`${path}?${query}`}>
            <Suspense fallback={<Skeleton lines={6} />}>
              {/* Nothing of one tenant stays on the screen while another is loaded. */}
              <Pages key={base} principal={session.principal} />
            </Suspense>
          </CrashBoundary>
        </Frame>
      </Router>
    </SessionContext>
  )
}

/** Offers only pages that the key can use. The server enforces the permissions. */
function Pages({ principal }: { readonly principal: Principal }) {
  const { base } = useRouter()
  const pages = base !== '' && principal.kind === 'tenant' ? [] : listPages(principal)
  const isOperator = principal.kind === 'operator'
  const refusal = listPages(principal).length === 0 ? <IngestKey /> : <NotForThisKey />
  const only = (path: string, page: ReactNode) => (pages.some((one) => one.path === path) ? page : refusal)
  return (
    <Switch>
      <Route path="/">{pages[0] ? <Home first={pages[0].path} isOfAll={isOperator && base === ''} /> : refusal}</Route>
      <Route path="/overview">{only('/overview', <OverviewPage />)}</Route>
      <Route path="/log">{only('/log', <LogPage />)}</Route>
      <Route path="/domains">{only('/domains', isOperator ? <OperatorPages page="domains" /> : <DomainsPage />)}</Route>
      <Route path="/domains/:name">{({ name }) => only('/domains', <DomainPage name={name} />)}</Route>
      <Route path="/sending">{only('/sending', <SendingPage />)}</Route>
      <Route path="/operator/domains">{only('/operator/tenants', <Redirect to="~/domains" replace />)}</Route>
      <Route path="/operator">{only('/operator/tenants', <Redirect to="/operator/tenants" replace />)}</Route>
      <Route path="/operator/:page">{({ page }) => only('/operator/tenants', <OperatorPages page={page} />)}</Route>
      <Route>
        <Empty icon="question" title="Page not found" isWholePage />
      </Route>
    </Switch>
  )
}

/** An operator without tenants has no mail to look at, and creates a tenant first. */
function Home({ first, isOfAll }: { readonly first: string; readonly isOfAll: boolean }) {
  const { data, isLoading } = useQuery<Tenants>({ queryKey: ['/v1/admin/tenants?take=1'], enabled: isOfAll })
  if (isLoading) return <Skeleton lines={6} />
  return <Redirect to={data?.count === 0 ? '/operator/tenants' : first} replace />
}

function IngestKey() {
  return (
    <Empty icon="keys" title="No pages for this key" isWholePage>
      <p>It only sends events (scope ingest). Sign in with another key, or ask your operator for one.</p>
    </Empty>
  )
}

function NotForThisKey() {
  return (
    <Empty icon="keys" title="Your key has no access to this page" isWholePage>
      <p>
        Sign in with another key, or ask your operator for a key with the scope that this page requires. The pages that
        your key can open are in the navigation.
      </p>
    </Empty>
  )
}
