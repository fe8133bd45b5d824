// What a person reads, in the language of the page. It is also read by browsers that are too old for all other
// modules (needs.js): nothing in it is younger than 2018.

/**
 * Says a message: the page, or the figure's own message, brings the words.
 *
 * @param {string} message in English, as the catalogues have it
 * @param {Record<string, string | number>} [fields] what stands in its braces
 * @returns {string}
 */
export function word(message, fields = {}) {
  const words = window.labWords || {};
  return (words[message] || message).replace(/\{(\w+)\}/g, (whole, name) =>
    name in fields ? String(fields[name]) : whole,
  );
}

/**
 * Joins whole sentences, those that are empty left out; after a full stop that is wide in itself stands no space.
 *
 * @param {...string} sentences
 * @returns {string}
 */
export function paragraph(...sentences) {
  return sentences
    .filter(Boolean)
    .reduce((said, next) => said + (said && !/[。！？]$/.test(said) ? " " : "") + next, "");
}

/**
 * How many letters of the usual width a text takes: those of Chinese take two.
 *
 * @param {string} text
 * @returns {number}
 */
export function breadth(text) {
  return text.length + (text.match(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/g) || []).length;
}
