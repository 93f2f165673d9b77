/** The fields of an object that have a value: an absent field is not one that is undefined. */
export function known<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}
