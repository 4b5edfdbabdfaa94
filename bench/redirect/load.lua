-- One visitor per request: a random slug (distributed by `spread`), one of a few dozen user
-- agents, every third with a referrer.
local slugs = {}
local agents = {}
local referrers = { "https://www.google.com/", "https://t.co/x7", "https://news.ycombinator.com/", "https://example.org/blog/post" }

local pick

function init(args)
  for line in io.lines(args[1]) do slugs[#slugs + 1] = line end
  for major = 100, 130 do
    agents[#agents + 1] = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" .. major .. ".0.0.0 Safari/537.36"
    agents[#agents + 1] = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_" .. (major % 7) .. " like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1 " .. major
  end
  math.randomseed(tonumber(args[2]))
  -- "even": every slug equally likely. "favourites": Zipf's law with exponent 1, the usual
  -- distribution of clicks.
  if args[3] == "favourites" then
    pick = function() return slugs[math.floor((#slugs) ^ math.random())] end
  else
    pick = function() return slugs[math.random(#slugs)] end
  end
end

function request()
  local headers = {
    ["User-Agent"] = agents[math.random(#agents)],
    ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    ["Accept-Language"] = "en-GB,en;q=0.9",
  }
  local n = math.random(#referrers * 3)
  if n <= #referrers then headers["Referer"] = referrers[n] end
  return wrk.format("GET", "/" .. pick(), headers)
end
