-- One signed-in browser per request, each of the sample equally likely, with both cookies, as a
-- page of the client sends them.
local cookies = {}

function init(args)
  for line in io.lines(args[1]) do cookies[#cookies + 1] = line end
  math.randomseed(tonumber(args[2]))
end

function request()
  return wrk.format("GET", wrk.path, {
    ["Host"] = "rooms.example.com",
    ["Cookie"] = cookies[math.random(#cookies)],
    ["Accept"] = "application/json",
    ["Sec-Fetch-Site"] = "same-origin",
    ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  })
end
