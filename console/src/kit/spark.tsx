/** A line the size of a word: how it went, without axes. */
import './spark.css'

interface SparkProps {
  readonly values: readonly number[]
  readonly label: string
}

export function Spark({ values, label }: SparkProps) {
  const most = Math.max(1, ...values)
  const x = (index: number) => (values.length < 2 ? 50 : (index / (values.length - 1)) * 100)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${(22 - (value / most) * 20).toFixed(1)}`)
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline className="spark-line" points={points.join(' ')} />
    </svg>
  )
}
