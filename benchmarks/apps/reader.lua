-- wrk, reading chapters: each connection asks for the files of one in turn, and the last of them closes it.
local requests, at = {}, 0

function init(paths)
  for number, path in ipairs(paths) do
    local headers = { ["Accept-Encoding"] = "gzip" }
    if number == #paths then headers["Connection"] = "close" end
    requests[number] = wrk.format("GET", path, headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary)
  local failed = 0
  for _, count in pairs(summary.errors) do failed = failed + count end
  io.write(string.format(
    '\n{"requests": %d, "seconds": %f, "bytes": %.0f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, failed
  ))
end
