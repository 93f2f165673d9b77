/** Which page an address shows, and to whom: a tenant's pages to tenants, the operator's to the operator. */
import { lazy, type ReactNode, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { type Principal, type Session, useSession } from './api/session.ts'
import { CrashBoundary } from './frame/crash-boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { listPages } from './frame/pages.ts'
import { SessionContext } from './frame/session-context.ts'
import { Empty, Failure, Skeleton } from './kit/states.tsx'
import { LogPage } from './log/log-page.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'

const OverviewPage = lazy(() => import('./overview/overview-page.tsx'))
const DomainsPage = lazy(() => import('./domains/domains-page.tsx'))
const DomainPage = lazy(() => import('./domains/domain-page.tsx'))
const OperatorPages = lazy(() => import('./operator/operator-pages.tsx'))

export function App() {
  const session = useSession()
  if (session.isPending) return null
  if (session.isError) {
    return (
      <main className="alone">
        <Failure what="The console could not start" error={session.error} onRetry={() => void session.refetch()} />
      </main>
    )
  }
  if (!session.data) return <SignInPage />
  return <SignedIn session={session.data} />
}

function SignedIn({ session }: { readonly session: Session }) {
  return (
    <SessionContext value={session}>
      <Frame>
        <CrashBoundary>
          <Suspense fallback={<Skeleton lines={6} />}>
            <Pages principal={session.principal} />
          </Suspense>
        </CrashBoundary>
      </Frame>
    </SessionContext>
  )
}

/** The server decides what a key may see. Here it is only decided what is worth asking for. */
function Pages({ principal }: { readonly principal: Principal }) {
  const pages = listPages(principal)
  const has = (path: string) => pages.some((page) => page.path === path)
  const only = (path: string, page: ReactNode) => (has(path) ? page : <NotForThisKey />)
  return (
    <Switch>
      <Route path="/">{pages[0] ? <Redirect to={pages[0].path} replace /> : <NotForThisKey />}</Route>
      <Route path="/overview">{only('/overview', <OverviewPage />)}</Route>
      <Route path="/log">{only('/log', <LogPage />)}</Route>
      <Route path="/domains">{only('/domains', <DomainsPage />)}</Route>
      <Route path="/domains/:name">{({ name }) => only('/domains', <DomainPage name={name} />)}</Route>
      <Route path="/operator">{only('/operator/tenants', <Redirect to="/operator/tenants" replace />)}</Route>
      <Route path="/operator/:page">{({ page }) => only('/operator/tenants', <OperatorPages page={page} />)}</Route>
      <Route>
        <Empty icon="question" title="There is no such page" isWholePage />
      </Route>
    </Switch>
  )
}

function NotForThisKey() {
  return (
    <Empty icon="keys" title="This page is not for the key that you signed in with" isWholePage>
      <p>
        Sign in with another key, or ask your operator for one with the scope that this page needs. The pages of this
        key are on the left.
      </p>
    </Empty>
  )
}
