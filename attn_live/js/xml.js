// What a person typed may hold what no XML may: a picture with it would open nowhere.

/** @param {string} text @returns {string} the text, or markup, with a mark for each of these */
export function heldByXml(text) {
  return text.replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "�");
}
