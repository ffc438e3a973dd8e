-- The health of an Application that another one brings. Argo CD has no check of its own for it, so that a parent is Healthy whatever its
-- children are, and the documented one (docs/operator-manual/health.md) repeats a verdict that may be of an earlier source, or of one
-- that failed to sync (argo-cd#27917, PR#29649). This one says Progressing while that is so.
local hs = {status = "Progressing", message = "not compared yet"}

-- What Go may leave out of JSON because nothing is in it.
local function empty(value)
  if type(value) ~= "table" then
    return value == nil or value == "" or value == false or value == 0
  end
  for _, inner in pairs(value) do
    if not empty(inner) then
      return false
    end
  end
  return true
end

local function same(a, b)
  if empty(a) and empty(b) then
    return true
  end
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then
      return false
    end
  end
  for key, value in pairs(b) do
    if not same(a[key], value) then
      return false
    end
  end
  return true
end

local spec, status = obj.spec or {}, obj.status or {}
local sync, health = status.sync or {}, status.health or {}
local compared = sync.comparedTo or {}

if empty(compared.source) and empty(compared.sources) then
  return hs
end
-- What a hydrator makes has a source of its own.
if spec.sourceHydrator == nil and not (same(spec.source, compared.source) and same(spec.sources, compared.sources)) then
  hs.message = "its last comparison is of an earlier source"
  return hs
end
local phase = (status.operationState or {}).phase
if obj.operation ~= nil or phase == "Running" or phase == "Terminating" then
  hs.message = "an operation is running"
  return hs
end
local automated = (spec.syncPolicy or {}).automated
-- Nobody is waited for who syncs by hand.
if automated ~= nil and automated.enabled ~= false and sync.status ~= "Synced" then
  hs.message = "sync is " .. (sync.status or "unknown")
  for _, condition in ipairs(status.conditions or {}) do
    hs.message = hs.message .. "; " .. (condition.message or "")
  end
  return hs
end
if not empty(health.status) then
  hs.status, hs.message = health.status, health.message or ""
end
return hs
