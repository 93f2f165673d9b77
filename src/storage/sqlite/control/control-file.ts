/** In the data folder: tenants, keys, domains, quarantine, audit log and the counts of removed days. */
export const CONTROL_FILE = 'control.db'
