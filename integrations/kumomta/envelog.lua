--[[
Envelog for KumoMTA: sends every log record to Envelog, and retries until it is stored there.

  local envelog = require 'envelog'

  -- At the top level of init.lua, before the queue helper:
  envelog:setup {
    url = 'http://envelog.example.com:8025',
    key = '/opt/kumomta/etc/envelog.key',
  }

  -- In the handlers of smtp_server_message_received and http_message_generated:
  envelog:note(msg)

KumoMTA's own webhook helper discards a record after any answer other than 2xx. This one keeps it in KumoMTA's spool and sends
it again. Envelog recognizes records that it already has.
]]
local kumo = require 'kumo'
local log_hooks = require 'policy-extras.log_hooks'

local mod = {}

-- Properties of a message that Envelog uses besides the record itself. Captured once, at reception: reading headers for every
-- record would load the message from the spool each time.
local META = {
  'campaign',
  'x_envelog_id',
  'x_envelog_from',
  'x_envelog_subject',
  'x_envelog_domain',
  'xfer_prior_id',
}

local function read_header(msg, name)
  local ok, value = pcall(function()
    return msg:get_first_named_header_value(name)
  end)
  -- A header that cannot be read must not make the message fail.
  if ok then
    return value
  end
  return nil
end

--- Stores the values for log records in the message's metadata. Call it when a message is received.
-- All values are set or cleared: some policies import X- headers into metadata, and a client must not control these values.
-- The id stays with the message on other nodes, where KumoMTA assigns a new one.
-- options.domain: the sender domain in Envelog, if From and sender do not determine it.
function mod:note(msg, options)
  msg:set_meta('x_envelog_id', msg:id())
  msg:set_meta('x_envelog_from', read_header(msg, 'From'))
  msg:set_meta('x_envelog_subject', read_header(msg, 'Subject'))
  msg:set_meta('x_envelog_domain', options and options.domain or nil)
end

local function load_key(source)
  local key = kumo.secrets.load(source)
  return (tostring(key):gsub('%s+$', ''))
end

-- Every answer other than 2xx is retried: 421 also closes this connection, so that the next attempt uses a new one. Errors
-- thrown by the client (no connection, timeout) are retried by KumoMTA itself.
local function require_success(response)
  -- Read first: the status is not available after the text was read.
  local is_success = response:status_is_success()
  local status = response:status_code()
  local text = response:text()
  local disposition = string.format('%d %s', status, text)
  if not is_success then
    kumo.reject(421, 'Envelog answered ' .. disposition)
  end
  return disposition
end

--- Sends log records to Envelog. Call it once, at the top level, before the queue helper.
-- options.url: the address of Envelog.
-- options.key: keysource of an operator key with the scope ingest; a plain string is the path of a file.
-- options.name: name of the hook, by default envelog; the queue is called <name>.log_hook.
-- options.batch_size: records per request, by default 500.
-- options.max_age: how long records are kept while Envelog cannot be reached, by default 30 days.
-- options.headers: additional headers to log, such as X-Acme-Message-Id.
function mod:setup(options)
  local url = string.gsub(options.url, '/+$', '') .. '/ingest/kumomta'
  log_hooks:new {
    name = options.name or 'envelog',
    batch_size = options.batch_size or 500,
    log_parameters = {
      meta = META,
      headers = options.headers or {},
    },
    queue_config = {
      retry_interval = '10s',
      max_retry_interval = '5m',
      max_age = options.max_age or '30 days',
    },
    constructor = function(domain, tenant, campaign)
      local connection = {}
      local client = kumo.http.build_client { timeout = '60s' }

      function connection:send_batch(messages)
        local lines = {}
        for _, message in ipairs(messages) do
          -- The record as KumoMTA wrote it: decoding it to Lua tables would turn empty objects into empty lists.
          table.insert(lines, message:get_data())
        end
        local response = client
          :post(url)
          :header('Authorization', load_key(options.key))
          :header('Content-Type', 'application/x-ndjson')
          :body(table.concat(lines, '\n'))
          :send()
        return require_success(response)
      end

      -- Called instead of send_batch if the batch size is one.
      function connection:send(message)
        return self:send_batch { message }
      end

      function connection:close()
        client:close()
      end

      return connection
    end,
  }
end

return mod
