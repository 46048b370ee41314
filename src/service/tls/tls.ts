/** The server certificate: the operator's files, or a self-signed one in the data directory. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { type Config, envName } from "../../config/config.ts";
import type { SettingName } from "../../config/settings.ts";
import type { TlsIdentity } from "../../runtime/net/serve.ts";

const dayMs = 86_400_000;
const selfSignedDays = 825;
/** A certificate that expires sooner is renewed at start if self-signed, otherwise warned about. */
const soonDays = 30;

interface Files {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly clientOptional: boolean;
}

/** The files of the certificate; undefined: the service uses HTTP. */
export function tlsFiles({ values }: Config): Files | undefined {
  const { tls_cert, tls_key, tls_client_ca: clientCa, tls_self_signed, data_dir } = values;
  const clients = { clientCa, clientOptional: values.tls_client_optional };
  if (tls_cert !== undefined && tls_key !== undefined) return { cert: tls_cert, key: tls_key, ...clients };
  if (!tls_self_signed) return undefined;
  return { cert: join(data_dir, "tls", "cert.pem"), key: join(data_dir, "tls", "key.pem"), ...clients };
}

/** What is wrong with the TLS settings and their files, one sentence each. */
export function tlsProblems(config: Config): string[] {
  const { tls_cert, tls_key, tls_client_ca, tls_client_optional, tls_self_signed, listen } = config.values;
  const given = tls_cert !== undefined || tls_key !== undefined;
  const problem = (name: SettingName, text: string) => [`${envName(name)}: ${text}`];
  if (tls_cert !== undefined && tls_key === undefined) return problem("tls_key", "must be set as well");
  if (tls_key !== undefined && tls_cert === undefined) return problem("tls_cert", "must be set as well");
  if (given && tls_self_signed)
    return problem("tls_self_signed", "cannot be combined with tls_cert and tls_key");
  if (tls_client_ca !== undefined && !given && !tls_self_signed)
    return problem("tls_client_ca", "needs a server certificate: tls_cert and tls_key, or tls_self_signed");
  if (tls_client_optional && tls_client_ca === undefined)
    return problem("tls_client_optional", "needs the certificate authorities: tls_client_ca");
  if ((given || tls_self_signed) && listen.startsWith("unix:"))
    return problem("listen", "a Unix socket has no TLS");
  if (!given) return tls_client_ca === undefined ? [] : problemOfAuthorities(tls_client_ca);
  try {
    const clients = { clientCa: tls_client_ca, clientOptional: tls_client_optional };
    readIdentity({ cert: tls_cert ?? "", key: tls_key ?? "", ...clients });
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/**
 * Reads the certificate, creating a self-signed one if needed.
 * @throws ServiceError Validation
 */
export async function loadIdentity(config: Config): Promise<TlsIdentity | undefined> {
  const files = tlsFiles(config);
  if (files === undefined) return undefined;
  if (config.values.tls_self_signed && !lasts(files)) await makeSelfSigned(files, config.values.listen);
  return readIdentity(files);
}

/** @throws ServiceError Validation, naming the setting and the file */
export function readIdentity({ cert, key, clientCa, clientOptional }: Files): TlsIdentity {
  const certText = readText("tls_cert", cert);
  const keyText = readText("tls_key", key);
  const certificate = certificateIn("tls_cert", cert, certText);
  if (!fits(certificate, keyText, key)) throw invalid("tls_key", `${key} is not the key of ${cert}`);
  return {
    cert: certText,
    key: keyText,
    ...(clientCa === undefined ? {} : { clientCa: readAuthorities(clientCa), clientOptional }),
  };
}

function readAuthorities(file: string): string {
  const text = readText("tls_client_ca", file);
  certificateIn("tls_client_ca", file, text);
  return text;
}

const begun = /-----BEGIN CERTIFICATE-----/g;
const whole = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The first certificate in the file. The others must be readable too: a file that is still being written would
 * withdraw the authorities in its missing part.
 */
function certificateIn(name: SettingName, file: string, text: string): X509Certificate {
  const blocks = text.match(whole) ?? [];
  if (blocks.length < (text.match(begun)?.length ?? 0))
    throw invalid(name, `${file} is not complete: its last certificate has no end`);
  for (const [at, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (error) {
      throw invalid(name, `${file}: its certificate ${at + 1} cannot be read`, error);
    }
  }
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw invalid(name, `${file} contains no PEM certificate`, error);
  }
}

/** Tolerance for clock differences. A later start date means that the clock was wrong when it was created. */
const aheadMs = 300_000;

/** Facts about the certificate for the operator. */
export function identityFacts(
  { cert }: TlsIdentity,
  now = Date.now(),
): {
  fingerprint: string;
  ends: string;
  warning?: string;
} {
  const { fingerprint256, validFrom, validTo } = new X509Certificate(cert);
  const days = Math.floor((Date.parse(validTo) - now) / dayMs);
  const ends = new Date(validTo).toISOString();
  if (Date.parse(validFrom) > now + aheadMs) {
    const begins = new Date(validFrom).toISOString();
    return {
      fingerprint: fingerprint256,
      ends,
      warning: `it is valid from ${begins}: clients reject it until then`,
    };
  }
  if (days >= soonDays) return { fingerprint: fingerprint256, ends };
  const warning = days < 0 ? "it has expired: clients reject it" : `it expires in ${days} days`;
  return { fingerprint: fingerprint256, ends, warning };
}

function fits(certificate: X509Certificate, keyText: string, file: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(keyText));
  } catch (error) {
    throw invalid(
      "tls_key",
      `${file} contains no readable private key (keys with a passphrase are not supported)`,
      error,
    );
  }
}

function lasts(files: Files): boolean {
  try {
    return identityFacts(readIdentity(files)).warning === undefined;
  } catch {
    return false;
  }
}

/** The library loads slowly, so it is imported on demand. */
async function makeSelfSigned({ cert, key }: Files, listen: string): Promise<void> {
  const { generate } = await import("selfsigned");
  const host = listen.slice(0, listen.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
  const names = [...new Set([hostname(), "localhost"])];
  const addresses = [...new Set(["127.0.0.1", "::1", ...(/^[\d.]+$|:/.test(host) ? [host] : [])])];
  const made = await generate([{ name: "commonName", value: hostname() }], {
    keyType: "ec",
    algorithm: "sha256",
    notAfterDate: new Date(Date.now() + selfSignedDays * dayMs),
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  mkdirSync(dirname(key), { recursive: true, mode: 0o700 });
  writeFileSync(key, made.private, { mode: 0o600 });
  chmodSync(key, 0o600);
  writeFileSync(cert, made.cert, { mode: 0o644 });
}

function problemOfAuthorities(file: string): string[] {
  try {
    readAuthorities(file);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function readText(name: SettingName, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw invalid(name, `${file} cannot be read`, error);
  }
}

function invalid(name: SettingName, text: string, cause?: unknown): ServiceError {
  return new ServiceError("Validation", `${envName(name)}: ${text}`, undefined, { cause });
}
