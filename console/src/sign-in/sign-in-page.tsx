/** Signing in: a key goes to the server once, and comes back as a cookie that no script can read. */
import { useState } from 'react'
import { useSignIn } from '../api/session.ts'
import { Mark } from '../frame/frame.tsx'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { messageOf } from '../kit/states.tsx'
import './sign-in-page.css'

export function SignInPage() {
  const signIn = useSignIn()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    try {
      await signIn(key.trim())
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <main className="alone">
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <div className="sign-in-brand">
          <Mark />
          <h1>Sign in to Envelog</h1>
        </div>
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
            setProblem(undefined)
          }}
          problem={problem}
          hint="A tenant’s key shows its log, domains and statistics; an operator’s key with the scope admin, the installation."
        />
        <Button look="strong" type="submit" disabled={isBusy || key.trim() === ''}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
        <details className="sign-in-help">
          <summary>I have no key</summary>
          <p>Whoever runs this server makes one on its command line:</p>
          <pre className="code-block">bin/envelog key create --tenant NAME</pre>
          <p>The key is sent once, over this connection, and kept in no place that a page can read.</p>
        </details>
      </form>
    </main>
  )
}
