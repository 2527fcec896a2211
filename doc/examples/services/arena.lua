-- A game's server that leaks: a projectile that misses is never taken out of the list of what moves. The list of effects beside it is
-- bounded. It captures itself every 1,000 ticks.
--
--   lua5.4 arena.lua
local hsdiff = require("hsdiff")

local world = {moving = {}, effects = {}}

local function shoot(tick)
  local projectile = {born = tick, at = {x = tick % 640, y = tick % 480}}
  world.moving[#world.moving + 1] = projectile
  world.effects[tick % 100] = {kind = "smoke", at = {x = projectile.at.x, y = projectile.at.y}}
end

local function step(tick)
  if tick % 2 == 0 then shoot(tick) end
  for _, projectile in ipairs(world.moving) do projectile.at.x = projectile.at.x + 1 end
end

for tick = 1, 4000 do
  step(tick)
  if tick % 1000 == 0 then hsdiff.capture("tick" .. tick .. ".hs") end
end
