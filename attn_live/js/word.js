/**
 * Says a message in the language of the page: the page, or the figure's own message, brings the words.
 *
 * @param {string} message in English, as the catalogues have it
 * @param {Record<string, string | number>} [fields] what stands in its braces
 * @returns {string}
 */
export function word(message, fields = {}) {
  const words = /** @type {{labWords?: Record<string, string>}} */ (globalThis).labWords;
  return (words?.[message] ?? message).replace(/\{(\w+)\}/g, (whole, name) => String(fields[name] ?? whole));
}
