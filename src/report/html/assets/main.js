// The start, and what happens when the address changes.

/** What the list was made for; views and checkpoints change nothing in it. */
let listed = null;

function render() {
  const wanted = JSON.stringify([state.query, state.tag, [...state.verdicts]]);
  if (wanted !== listed) {
    renderList();
    if (listed !== null) announce(`${plural(shown.length, 'case')} found`);
    listed = wanted;
  }
  renderDetail();
  const one = selected();
  if (one && state.case) revealRow(one);
  else markSelected();
}

addEventListener('hashchange', () => {
  const before = state.case;
  readAddress();
  render();
  // On a small screen the list gives way to the case: reading goes on at its title.
  if (state.case && state.case !== before && matchMedia('(max-width: 759px)').matches) {
    byId('case-title')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
});
document.addEventListener('keydown', onKey);
byId('help-button').addEventListener('click', openHelp);
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  byId('detail').focus();
});
still.addEventListener('change', renderDetail);

readAddress();
renderHeader();
render();
renderAccept();
document.documentElement.dataset.ready = 'yes';
