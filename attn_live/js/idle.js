// When the browser has nothing else to do.

const FREE_MILLISECONDS = 80; // for which nothing may have kept a timer waiting
const PROBE_MILLISECONDS = 20;
const UNDISTURBED_MILLISECONDS = 6; // by which a timer comes though nothing else is done

/**
 * Calls back once the browser is idle. Safari tells nobody that it is: there, once its timers come in time.
 *
 * @param {() => void} callback
 */
export function whenIdle(callback) {
  if ("requestIdleCallback" in window) window.requestIdleCallback(callback);
  else whenFree(callback);
}

/** @param {() => void} callback */
function whenFree(callback) {
  let asked = performance.now();
  let since = asked;
  const probe = () => {
    const now = performance.now();
    if (now - asked > PROBE_MILLISECONDS + UNDISTURBED_MILLISECONDS) since = now;
    if (now - since >= FREE_MILLISECONDS) return callback();
    asked = now;
    setTimeout(probe, PROBE_MILLISECONDS);
  };
  setTimeout(probe, PROBE_MILLISECONDS);
}
