/** Chooses whom a command talks to: the server at --url, or the data folder of this machine. */
import type { Config } from '../../config/options.ts'
import { AppError } from '../../lib/app-error.ts'
import { Client } from './client.ts'
import { FolderTransport } from './folder-transport.ts'
import { UrlTransport } from './url-transport.ts'

export interface ServerAddress {
  readonly url?: string
  readonly keyFile?: string
}

/** Connects with the first request. */
export function openClient(config: Config, { url, keyFile }: ServerAddress): Client {
  if (url === undefined && keyFile === undefined) return new Client(new FolderTransport(config))
  if (url === undefined) throw new AppError('invalid_request', '--key-file needs --url.')
  if (keyFile === undefined) throw new AppError('invalid_request', '--url needs --key-file.')
  return new Client(new UrlTransport(url, keyFile))
}
