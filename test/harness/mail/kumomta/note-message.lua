-- What our policy helper notes down in a message that a client tried to label itself.
local envelog = require 'envelog'
local meta = { x_envelog_id = 'forged', x_envelog_domain = 'victim.test', x_envelog_subject = 'forged' }
local msg = {}
function msg:id()
  return '1d98076abbbc11ed940250ebf67f93bd'
end
function msg:set_meta(key, value)
  meta[key] = value
end
function msg:get_first_named_header_value(name)
  if name == 'Subject' then
    error 'a header that cannot be parsed'
  end
  return 'Acme <hello@acme.test>'
end
envelog:note(msg)
local keys = {}
for key, value in pairs(meta) do
  table.insert(keys, key .. '=' .. value)
end
table.sort(keys)
print(table.concat(keys, '\n'))
