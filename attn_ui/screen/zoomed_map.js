// A map of any size on a page: its tiles are fetched as they come into sight.

import { LongMap } from "../../attn_live/js/long_map.js";
import { isDark } from "../../attn_live/js/host_theme.js";

const maps = new WeakMap(); // the map of each element
const OWN_FOR = 1500; // ms in which what comes back from the server is older than what is shown

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".zoomed-map");
  const { meta, name, keep } = data;
  const address = new URL(data.address, location.href).href; // relative to the page: right under a base path
  const looks = JSON.stringify(meta);
  let shown = maps.get(root);
  if (shown?.looks !== looks) {
    shown?.map.destroy();
    root.classList.add("long-map");
    shown = { looks, map: new LongMap(root, meta, name), sight: "", movedAt: 0 };
    maps.set(root, shown);
  }
  const { map } = shown;
  map.dress(isDark(root));
  map.onSight = (sight) => {
    shown.movedAt = Date.now();
    shown.sight = sight;
    setStateValue("sight", sight);
  };
  const isEcho = shown.sight === data.sight || Date.now() - shown.movedAt < OWN_FOR;
  if (!isEcho) {
    shown.sight = data.sight;
    map.goTo(data.sight);
  }
  const tile = async (level, row, column) => {
    const answer = await fetch(`${address}/${level}.${row}.${column}`);
    if (!answer.ok) throw new Error(`the map's tile is not there: ${answer.status}`);
    return new Float32Array(await answer.arrayBuffer());
  };
  if (shown.address !== address) map.show({ key: address, keep, tile });
  shown.address = address;
  return () => {
    maps.get(root)?.map.destroy();
    maps.delete(root);
  };
}
