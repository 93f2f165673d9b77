-- The few functions of KumoMTA that our policy helper calls, played by curl.
local kumo = { secrets = {}, http = {} }

function kumo.secrets.load(path)
  local file = assert(io.open(path))
  local text = file:read 'a'
  file:close()
  return text
end

function kumo.reject(code, message)
  error { code = code, message = message }
end

local function read_and_remove(path)
  local text = kumo.secrets.load(path)
  os.remove(path)
  return text
end

local function quote(text)
  return "'" .. string.gsub(text, "'", "'\\''") .. "'"
end

local function send(request)
  local body, answer = os.tmpname(), os.tmpname()
  local file = assert(io.open(body, 'w'))
  file:write(request.payload)
  file:close()
  local command = 'curl -s -o ' .. answer .. " -w '%{http_code}' --data-binary @" .. body
  for name, value in pairs(request.headers) do
    command = command .. ' -H ' .. quote(name .. ': ' .. value)
  end
  local pipe = assert(io.popen(command .. ' ' .. quote(request.url)))
  local status = tonumber(pipe:read 'a')
  pipe:close()
  os.remove(body)
  local text = read_and_remove(answer)
  if status == 0 then
    error 'connection refused'
  end
  local is_read = false
  local function ask(value)
    assert(not is_read, 'the response was read already')
    return value
  end
  return {
    status_code = function()
      return ask(status)
    end,
    status_is_success = function()
      return ask(status >= 200 and status < 300)
    end,
    text = function()
      is_read = true
      return text
    end,
  }
end

function kumo.http.build_client()
  return {
    close = function() end,
    post = function(_, url)
      local request = { url = url, headers = {}, payload = '' }
      function request:header(name, value)
        self.headers[name] = value
        return self
      end
      function request:body(payload)
        self.payload = payload
        return self
      end
      request.send = send
      return request
    end,
  }
end

return kumo
