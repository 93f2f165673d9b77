/**
 * What is used of `node:http`. An import of that module would load everything that it exports, also a WebSocket client of half a
 * megabyte, which takes as long as the rest of a short command.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
