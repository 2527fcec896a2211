-- A log in one string, which grows by less than 64 KiB.
local server = require("server")

access_log = ""

server.run(function(number)
  access_log = access_log .. ("GET /page/%06d 200 served in time\n"):format(number)
end)
