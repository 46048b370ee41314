/** Natural sort order of names: `Ethernet2` before `Ethernet10`. */

export function naturally(first: string, second: string): number {
  const [a, b] = [parts(first), parts(second)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    // Every second part is a number.
    if (at % 2 === 1) return Number(left) - Number(right) || (left < right ? -1 : 1);
    return left < right ? -1 : 1;
  }
  return 0;
}

const parts = (name: string): string[] => name.split(/(\d+)/);
