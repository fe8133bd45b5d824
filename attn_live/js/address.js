// A page's address where it is read with the eyes.

import { word } from "./word.js";

const LONGEST_ADDRESS = 220; // characters; a longer one says nothing on a slide or on paper

/** @param {string} address @returns {string} itself, or without what it sets where that is too long */
export function printable(address) {
  const [plain = ""] = address.split("?");
  return address.length > LONGEST_ADDRESS
    ? word("{address} (its link is too long to print)", { address: plain })
    : address;
}
