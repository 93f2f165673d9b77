/** Sign-in: the key is sent to the server once and exchanged for a cookie that scripts cannot read. */
import { useState } from 'react'
import { useEndOfSession, useSignIn } from '../api/session.ts'
import { Mark } from '../frame/frame.tsx'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { messageOf } from '../kit/states.tsx'
import './sign-in-page.css'

export function SignInPage() {
  const signIn = useSignIn()
  const ended = useEndOfSession()
  const [key, setKey] = useState('')
  return (
    <main className="alone">
      <form
        className="stack gap-16 sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.mutate(key.trim())
        }}
      >
        <div className="stack gap-12 sign-in-brand">
          <Mark />
          <h1>Sign in to Envelog</h1>
        </div>
        {ended !== undefined && (
          <p className="notice tone-amber" role="status">
            {ended}
          </p>
        )}
        <Field
          label="API key"
          type="password"
          name="key"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          required
          placeholder="env_…"
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value)
            signIn.reset()
          }}
          error={signIn.error ? messageOf(signIn.error) : undefined}
          hint="A tenant key opens that tenant’s log, domains and statistics. An operator key with the scope admin opens the administration pages."
        />
        <Button look="strong" type="submit" disabled={signIn.isPending || key.trim() === ''}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <details className="soft small sign-in-help">
          <summary>How to get a key</summary>
          <p>The operator of this server creates one on the command line:</p>
          <pre className="code-block">envelog key create --tenant NAME</pre>
          <p>The key is sent to the server once and never stored where scripts can read it.</p>
        </details>
      </form>
    </main>
  )
}
