/** The Diffie-Hellman primes of RFC 2409 and RFC 3526, computed from the formulas in the RFCs. */

/** Bits and offset of each group: p = 2^n - 2^(n-64) - 1 + 2^64 * (floor(2^(n-130) * pi) + offset). */
const groups: ReadonlyMap<string, readonly [bits: number, offset: number]> = new Map([
  ["modp2", [1024, 129_093]],
  ["modp5", [1536, 741_804]],
  ["modp14", [2048, 124_476]],
  ["modp15", [3072, 1_690_314]],
  ["modp16", [4096, 240_904]],
  ["modp17", [6144, 929_484]],
  ["modp18", [8192, 4_743_158]],
]);

const primes = new Map<string, bigint>();

/** The prime of a group by OpenSSL's name; undefined for any other group. */
export function modpPrime(name: string): bigint | undefined {
  const group = groups.get(name);
  if (!group) return undefined;
  const seen = primes.get(name);
  if (seen !== undefined) return seen;
  const [bits, offset] = group;
  const n = BigInt(bits);
  const prime = (1n << n) - (1n << (n - 64n)) - 1n + ((piTimesPowerOf2(n - 130n) + BigInt(offset)) << 64n);
  primes.set(name, prime);
  return prime;
}

/** floor(2^bits * pi) by Machin's formula; 64 guard bits absorb the rounding of its few thousand terms. */
function piTimesPowerOf2(bits: bigint): bigint {
  const guard = 64n;
  const scale = 1n << (bits + guard);
  const arctanOfInverse = (x: bigint): bigint => {
    const square = x * x;
    let power = scale / x;
    let sum = power;
    for (let k = 3n; power !== 0n; k += 2n) {
      power /= -square;
      sum += power / k;
    }
    return sum;
  };
  return (4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n))) >> guard;
}
