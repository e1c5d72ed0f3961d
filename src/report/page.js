'use strict';
// Every table: a click on a heading sorts, a second one turns it round, a third puts the rows back. A filter and a choice of columns
// where there is something to choose. Without this script the tables are as the report wrote them.
const make = (tag, fields, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
for (const table of document.querySelectorAll('.scroll table')) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const sort = (at, way) => {
    heads.forEach(head => head.removeAttribute('aria-sort'));
    if (!way) return body.append(...rows);
    heads[at].setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
    const value = row => row.cells[at].dataset.v === undefined ? null : Number(row.cells[at].dataset.v);
    const words = !rows.some(row => value(row) !== null);
    body.append(...[...rows].sort((a, b) => {
      if (words) return way * a.cells[at].textContent.localeCompare(b.cells[at].textContent, 'en', { numeric: true });
      const x = value(a), y = value(b);
      // What has no number stays last, whichever way.
      return x === null || y === null ? (x === null) - (y === null) : way * (x - y);
    }));
  };
  heads.forEach((head, at) => head.querySelector('button').addEventListener('click', () =>
    sort(at, { ascending: -1, descending: 0 }[head.getAttribute('aria-sort')] ?? 1)));
  const tools = make('div', { className: 'tools' });
  if (rows.length > 7) {
    const filter = make('input', { type: 'search', placeholder: 'filter rows', ariaLabel: 'filter rows' });
    const shown = make('span', {});
    filter.addEventListener('input', () => {
      const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach(row => { row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word)); });
      const left = rows.filter(row => !row.hidden).length;
      shown.textContent = wanted.length ? `${left} of ${rows.length}` : '';
    });
    tools.append(filter, shown);
  }
  if (heads.length > 5) {
    const labels = heads.map((head, at) => {
      const box = make('input', { type: 'checkbox', checked: true });
      box.addEventListener('change', () => [...table.rows].forEach(row => { row.cells[at].hidden = !box.checked; }));
      return make('label', {}, box, ' ' + head.textContent);
    });
    tools.append(make('details', {}, make('summary', {}, 'columns'), ...labels.slice(1)));
  }
  if (tools.children.length) table.parentElement.before(tools);
}
