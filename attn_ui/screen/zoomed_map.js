// A map of any size on a page: its tiles are fetched as they come into sight.

import { LongMap } from "../../attn_live/js/long_map.js";
import { isDark } from "../../attn_live/js/looks.js";

const maps = new WeakMap(); // the map of each element

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".zoomed-map");
  const { meta, name, keep } = data;
  const address = new URL(data.address, location.href).href; // relative to the page: right under a base path
  const looks = JSON.stringify(meta);
  let shown = maps.get(root);
  if (shown?.looks !== looks) {
    shown?.map.destroy();
    root.classList.add("long-map");
    shown = { looks, map: new LongMap(root, meta, name) };
    maps.set(root, shown);
  }
  shown.map.dress(isDark(root));
  const tile = async (level, row, column) => {
    const answer = await fetch(`${address}/${level}.${row}.${column}`);
    if (!answer.ok) throw new Error(`the map's tile is not there: ${answer.status}`);
    return new Float32Array(await answer.arrayBuffer());
  };
  if (shown.address !== address) shown.map.show({ key: address, keep, tile });
  shown.address = address;
  return () => {
    maps.get(root)?.map.destroy();
    maps.delete(root);
  };
}
