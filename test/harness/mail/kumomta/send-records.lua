-- Sends the records in a file, one a line, as KumoMTA would: lua send-records.lua URL KEY_FILE RECORDS [BATCH_SIZE]
local url, key, records, batch_size = table.unpack(arg)
local log_hooks = require 'policy-extras.log_hooks'
local envelog = require 'envelog'

envelog:setup { url = url, key = key, batch_size = tonumber(batch_size) }

local messages = {}
for line in io.lines(records) do
  table.insert(messages, {
    get_data = function()
      return line
    end,
  })
end

local connection = log_hooks.options.constructor('envelog.log_hook')
local ok, result = pcall(function()
  if log_hooks.options.batch_size > 1 then
    return connection:send_batch(messages)
  end
  return connection:send(messages[1])
end)
connection:close()

if ok then
  print('delivered', result)
elseif type(result) == 'table' then
  print('rejected', result.code, result.message)
else
  print('error', result)
end
