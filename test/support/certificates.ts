/** Self-signed certificates for the tests' servers and clients. */
import { writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";
import { tempFolder } from "../../src/testkit/service.ts";

const days = 90;

export interface Identity {
  readonly cert: string;
  readonly key: string;
  /** Path of the certificate file. */
  readonly certFile: string;
}

/** @param host the address or name it is valid for */
export function selfSigned(name = "localhost", host = "127.0.0.1"): Promise<Identity> {
  return make(tempFolder(), "cert", { name, host });
}

export function expiredCertificate(): Promise<Identity> {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000);
  return make(tempFolder(), "cert", { name: "old", host: "127.0.0.1", from: day(9), to: day(2) });
}

/** For 127.0.0.1, named `<name>.test`. @returns a folder with `<name>.crt` and `<name>.key` */
export async function makeCertificates(...names: string[]): Promise<string> {
  const folder = tempFolder();
  for (const name of names) await make(folder, name, { name: `${name}.test`, host: "127.0.0.1" });
  return folder;
}

async function make(
  folder: string,
  file: string,
  { name, host, from, to }: { name: string; host: string; from?: Date; to?: Date },
): Promise<Identity> {
  const made = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    ...(from === undefined ? {} : { notBeforeDate: from }),
    notAfterDate: to ?? new Date(Date.now() + days * 86_400_000),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }] },
    ],
  });
  const certFile = join(folder, `${file}.crt`);
  writeFileSync(certFile, made.cert);
  writeFileSync(join(folder, `${file}.key`), made.private);
  return { cert: made.cert, key: made.private, certFile };
}
