// Words and letters are explained by a script that comes when the picture is drawn and nothing else is to do.
(() => {
  if (window.explainsTerms) return;
  window.explainsTerms = true;
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 300));
  const begin = () => {
    const line = document.querySelector(".terms-here");
    const waits = [...document.querySelectorAll(".live-figure")].some(
      (figure) => figure.offsetParent && !figure.dataset.state,
    );
    if (!line || waits) return setTimeout(begin, 400);
    idle(() =>
      import(new URL(line.dataset.module, document.baseURI)).then(
        (script) => script.begin(),
        () => setTimeout(begin, 5000),
      ),
    );
  };
  setTimeout(begin, 400);
})();
