// Keeps a page from moving by itself. Runs before the page's first script, in every frame.
//
// CSS animations end at once in their last state (a duration of 1 µs, once), so that what fades in is there and
// `animationend` still fires; `animation: none` would leave it invisible for ever. Scroll-driven animations scale
// any duration and stay as they are. Transitions jump to their end with `transitionend`. Nothing is set on
// `transition-duration`: the default property is `all`, so a duration on `*` would make every change a transition.
(() => {
  'use strict';
  const sheet = new CSSStyleSheet();
  const everything = '*, *::before, *::after, ::backdrop, ::marker, ::placeholder, ::file-selector-button, ' +
    '::details-content';
  sheet.replaceSync(`
    ${everything} {
      animation-duration: 0.001ms !important;
      animation-delay: 0s !important;
      animation-iteration-count: 1 !important;
      caret-color: transparent !important;
      scroll-behavior: auto !important;
    }
    ::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) {
      animation-duration: 0.001ms !important;
      animation-delay: 0s !important;
    }
    progress:indeterminate { appearance: none !important; }
  `);

  const settle = (animation) => {
    // Scroll-driven animations move with the page only.
    if (!animation || !(animation.timeline instanceof DocumentTimeline)) return;
    if (animation.playState !== 'running' || !animation.effect) return;
    // An endless one has no end to jump to: it stands at its beginning.
    if (animation.effect.getComputedTiming().endTime === Infinity) {
      animation.pause();
      animation.currentTime = 0;
    } else {
      animation.finish();
    }
  };
  const settleLater = (animation) => queueMicrotask(() => {
    try { settle(animation); } catch { /* cancelled by the page meanwhile */ }
  });

  const watch = (root) => {
    root.addEventListener('transitionrun', (event) => {
      for (const animation of event.target.getAnimations({ subtree: true })) {
        if (animation instanceof CSSTransition) settleLater(animation);
      }
    }, true);
    root.addEventListener('playing', ({ target: media }) => {
      if (!(media instanceof HTMLVideoElement)) return;
      media.pause();
      if (media.autoplay && media.seekable.length > 0) media.currentTime = 0;
    }, true);
  };

  // Constructed style sheets are not subject to the page's content security policy.
  const adopted = (prototype) => {
    const own = Object.getOwnPropertyDescriptor(prototype, 'adoptedStyleSheets');
    if (!own || !own.set) return;
    Object.defineProperty(prototype, 'adoptedStyleSheets', {
      ...own,
      set(sheets) { own.set.call(this, [...Array.from(sheets).filter((one) => one !== sheet), sheet]); },
    });
  };
  const cover = (root) => {
    if (root.adoptedStyleSheets.includes(sheet)) return;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    watch(root);
  };
  adopted(Document.prototype);
  adopted(ShadowRoot.prototype);
  cover(document);

  const wrap = (prototype, name, after) => {
    const original = prototype[name];
    if (!original) return;
    prototype[name] = { [name](...given) {
      const result = original.apply(this, given);
      after.call(this, result);
      return result;
    } }[name];
  };
  wrap(Element.prototype, 'attachShadow', cover);
  wrap(Element.prototype, 'animate', settleLater);
  wrap(Animation.prototype, 'play', function () { settleLater(this); });

  // Shadow roots written in the markup pass by `attachShadow`. Closed ones of this kind cannot be reached.
  const sweep = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) { cover(element.shadowRoot); sweep(element.shadowRoot); }
      if (element instanceof HTMLMarqueeElement) { element.behavior = 'slide'; element.scrollAmount = 1e6; }
    }
  };
  document.addEventListener('readystatechange', () => sweep(document));
})();
