// The letters that leave the page with a figure.

/** What words of a figure are set in: a family and a weight, and the file that has them. */
export const LETTERS_OF = /** @type {const} */ ([
  ["Source Sans", "200 599", "sans"],
  ["Source Sans", "600 900", "sans-bold"],
  ["Source Serif", "200 900", "serif"],
]);
