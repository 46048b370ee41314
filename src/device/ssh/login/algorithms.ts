/** The algorithms to offer, and the error for a server that shares none of them. ssh-dss is never offered. */
import { ServiceError } from "../../../base/errors.ts";
import type { SshTarget } from "../../../plugin/kit/ssh.ts";
import { canCompress, canUseCipher } from "../../../runtime/native/ssh2-compat.ts";
import type { ServerOffer } from "./opening.ts";
import { where } from "./target.ts";

type Profile = SshTarget["profile"];

/** In order of preference. AES-GCM comes first: it needs no MAC and is not affected by prefix truncation. */
const modern = {
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group15-sha512",
    "diffie-hellman-group17-sha512",
  ],
  cipher: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
    "chacha20-poly1305@openssh.com",
  ],
  mac: [
    "hmac-sha2-256-etm@openssh.com",
    "hmac-sha2-512-etm@openssh.com",
    "hmac-sha1-etm@openssh.com",
    "hmac-sha2-256",
    "hmac-sha2-512",
    "hmac-sha1",
  ],
  hostKey: [
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
  ],
} as const;

/** Additional algorithms for old devices; enabled by platform or request, never by default. */
const old = {
  kex: ["diffie-hellman-group14-sha1", "diffie-hellman-group-exchange-sha1", "diffie-hellman-group1-sha1"],
  cipher: ["aes256-cbc", "aes192-cbc", "aes128-cbc", "3des-cbc"],
  mac: ["hmac-sha1-96", "hmac-md5", "hmac-md5-96"],
  hostKey: ["ssh-rsa"],
} as const;

const legacy = {
  kex: [...modern.kex, ...old.kex],
  cipher: [...modern.cipher, ...old.cipher],
  mac: [...modern.mac, ...old.mac],
  hostKey: [...modern.hostKey, ...old.hostKey],
} as const;

const profiles = { modern, legacy } as const;

/**
 * The offer as ssh2 expects it. The host's known key types come first; otherwise the server could present another key,
 * which would look changed.
 */
export function algorithmsFor(profile: Profile, knownKeyTypes: readonly string[], compress: boolean) {
  const { kex, cipher, mac, hostKey } = profiles[profile];
  const isKnown = (algorithm: string) => knownKeyTypes.includes(keyTypeOf(algorithm));
  return {
    kex: [...kex],
    cipher: cipher.filter(canUseCipher),
    hmac: [...mac],
    serverHostKey: [...hostKey.filter(isKnown), ...hostKey.filter((type) => !isKnown(type))],
    compress:
      compress && canCompress
        ? (["zlib@openssh.com", "zlib", "none"] as const).slice()
        : (["none"] as const).slice(),
  };
}

/** RSA keys share one key type with three signature algorithms. */
function keyTypeOf(algorithm: string): string {
  return algorithm.startsWith("rsa-sha2-") ? "ssh-rsa" : algorithm;
}

const categories = [
  { name: "key exchange", pattern: /key exchange/, ours: "kex", theirs: (offer: ServerOffer) => offer.kex },
  { name: "host key", pattern: /host key/, ours: "hostKey", theirs: (offer: ServerOffer) => offer.hostKey },
  { name: "cipher", pattern: /cipher/, ours: "cipher", theirs: (offer: ServerOffer) => offer.cipher },
  { name: "MAC", pattern: /MAC/, ours: "mac", theirs: (offer: ServerOffer) => offer.mac },
  {
    name: "compression",
    pattern: /compress/,
    ours: undefined,
    theirs: (offer: ServerOffer) => offer.compress,
  },
] as const;

/** @param errorText error text of ssh2, which names only the category */
export function noCommonAlgorithm(
  errorText: string,
  target: SshTarget,
  offer: ServerOffer | undefined,
): ServiceError {
  const category = categories.find((candidate) => candidate.pattern.test(errorText));
  const name = category?.name ?? "algorithm";
  const offered = offer && category ? category.theirs(offer) : [];
  const needed: readonly string[] = category?.ours ? profiles[target.profile][category.ours] : ["none"];
  const more: readonly string[] = category?.ours ? old[category.ours] : [];
  const helps =
    target.profile === "modern" && (offered.length === 0 || offered.some((name) => more.includes(name)));
  const message = [
    `${where(target)} has no ${name} algorithm in common with this service:`,
    `it offers ${offered.length > 0 ? offered.join(", ") : "unknown ones"};`,
    `this service supports ${needed.join(", ")}.`,
    ...(helps ? ['Old equipment may need ssh_profile "legacy".'] : []),
  ].join(" ");
  return new ServiceError("DriverError", message, { category: name, offered, needed });
}
