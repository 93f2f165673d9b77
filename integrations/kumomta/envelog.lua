--[[
Envelog for KumoMTA: hands every log record to Envelog, and tries again until Envelog has it on its disk.

  local envelog = require 'envelog'

  -- At the top level of init.lua, before the queue helper:
  envelog:setup {
    url = 'http://envelog.example.com:8025',
    key = '/opt/kumomta/etc/envelog.key',
  }

  -- In the handlers of smtp_server_message_received and http_message_generated:
  envelog:note(msg)

KumoMTA's own webhook helper gives a record up for good on any answer but 2xx. This one never does: whatever the answer is,
the record stays in KumoMTA's spool and is sent again. Envelog recognises what it has already.
]]
local kumo = require 'kumo'
local log_hooks = require 'policy-extras.log_hooks'

local mod = {}

-- What Envelog wants to know about a message besides the record itself. Captured once, at reception: reading headers again
-- for every record would load the message from the spool each time.
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
  -- A header that cannot be read is no reason to refuse the message.
  if ok then
    return value
  end
  return nil
end

--- Notes down in the message what its log records shall tell. Call it when a message is received.
-- All values are set, or cleared: some policies copy X- headers into the same place, and a client must not choose them.
-- The id goes with the message to other nodes, where KumoMTA gives it a new one.
-- options.domain: whose mail it is, where From and sender do not tell; a domain of Envelog.
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

-- Every answer but 2xx is a reason to try again later: 421 also closes this connection, so that the next attempt starts
-- with a new one. An error that is thrown on the way (no connection, a time-out) is a reason to try again for KumoMTA itself.
local function require_success(response)
  -- Asked first: once the text was read, a response answers no more questions.
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
-- options.url: where Envelog listens.
-- options.key: keysource of an operator's key with the scope ingest; a plain text is the path of a file.
-- options.name: of the hook, envelog when left out; the queue is called <name>.log_hook.
-- options.batch_size: records in one request, 500 when left out.
-- options.max_age: how long records are kept while Envelog cannot be reached, 30 days when left out.
-- options.headers: headers to log besides, such as an X-Acme-Message-Id.
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
          -- The record as KumoMTA wrote it. Through Lua tables an empty object would come out as an empty list.
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

      -- With a batch size of one KumoMTA calls this instead.
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
