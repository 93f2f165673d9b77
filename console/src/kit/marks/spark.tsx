/** Sparkline: a line chart the size of a word, without axes. */

export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const max = Math.max(1, ...values)
  const x = (index: number) => (values.length < 2 ? 50 : (index / (values.length - 1)) * 100)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${(22 - (value / max) * 20).toFixed(1)}`)
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline className="spark-line" points={points.join(' ')} />
    </svg>
  )
}
