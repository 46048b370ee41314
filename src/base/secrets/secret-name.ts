/** Whether a field, variable or parameter holds a secret, by its name. */

const secretName =
  /^pass$|pass(?:word|wd|phrase|code)|secret|token|api[_-]?key|private[_-]?key|^pkey$|_pkey$|community|authorization|cookie|^(?:proxy_)?(?:otp|answers)$/i;
/** Names of places where a secret is stored, not of secrets. */
const placeName = /(?:_|-)(?:file|filename|path|name|field|url|type|mode)$/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name) && !placeName.test(name);
}
