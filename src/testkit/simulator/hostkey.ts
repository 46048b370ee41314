/** Key pairs for simulated servers. */
import { utils } from "../../device/ssh/ssh2.ts";

/** In OpenSSH format. */
export interface KeyPair {
  readonly private: string;
  readonly public: string;
}

export interface KeyEncryption {
  readonly passphrase: string;
  readonly cipher: string;
  readonly rounds: number;
}

/** ssh2 drops a leading zero of the public key: one in 256 of its generated pairs cannot be read again. */
export function makeKeyPair(encryption?: KeyEncryption): KeyPair {
  for (;;) {
    const pair = encryption
      ? utils.generateKeyPairSync("ed25519", { ...encryption })
      : utils.generateKeyPairSync("ed25519");
    if (!(utils.parseKey(pair.private, encryption?.passphrase) instanceof Error)) return pair;
  }
}
