/** Which answer a prompt of keyboard-interactive gets: what it asks for decides, never its place in the dialogue. */
import type { LoginAnswer } from "../../../plugin/kit/ssh.ts";
import type { Prompt } from "../ssh2.ts";

export interface LoginSecrets {
  readonly username: string;
  readonly password: string | undefined;
  /** A code for a second factor. */
  readonly otp: string | undefined;
  /** The caller's own, which come first. */
  readonly answers: readonly LoginAnswer[];
}

/** What the reply was taken for; undefined: there is none, and nothing may be sent. */
export function replyTo({ prompt, echo }: Prompt, secrets: LoginSecrets): string | undefined {
  const own = secrets.answers.find(({ question }) => question.test(prompt));
  if (own) return own.reply.reveal();
  const asked = kindOf(prompt, secrets.username);
  const isShown = echo === true;
  if (asked === "consent") return "yes";
  if (asked === "name") return secrets.username;
  if (asked === "change") return undefined;
  // A passcode, typed blind, is what a token server calls the password; with a code at hand it is that one.
  const isPassword = asked === "password" || (asked === "passcode" && secrets.otp === undefined);
  if (!isPassword) return secrets.otp;
  // What is echoed may be logged and recorded.
  return isShown ? undefined : secrets.password;
}

/** The question as an error quotes it. */
export function shownQuestion({ prompt }: Prompt): string {
  const text = prompt.replace(/[\p{C}\s]+/gu, " ").trim();
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

type Kind = "consent" | "name" | "change" | "code" | "passcode" | "password" | "other";

/** PAN-OS asks this if the login banner must be accepted: `Do you accept and acknowledge the statement above?`. */
const consent = /\bdo you (?:accept|agree|consent)\b/i;
const name = /\b(?:user(?: ?name| ?id)?|login(?: name| as)?)\s*[:>]?\s*$/i;
const change = /\b(?:new|re-?type|re-?enter|again|repeat|confirm|current|old|expired)\b/i;
const code =
  /one.?time|\botp\b|\boath\b|token|verif|\bcode\b|\bpin\b|\bmfa\b|\b2fa\b|factor|yubikey|authenticator|challenge|response|\bsms\b|\bpush\b|option|einmal|usage unique|jednoraz|un solo uso|一次性|验证码|動態|动态/iu;
const firstFactor = /first factor/i;
/** In the languages of PAM and of the vendors. */
const word =
  /pass\s?-?word|passwd|credential|\bsecret\b|pass\s?phrase|\bpwd?\b|pass?wort|kennwort|mot de passe|contrase|senha|palavra-passe|wachtwoord|has[lł]o|heslo|jelsz|parol|пароль|salasana|lösenord|losenord|passord|adgangskode|kodeord|[sş]ifre|κωδικ|סיסמ|كلمة|密码|密碼|口令|パスワード|암호|비밀번호|mật khẩu|lozink|geslo|slapta|รหัสผ่าน|kata sandi/iu;

function kindOf(prompt: string, username: string): Kind {
  if (consent.test(prompt)) return "consent";
  const text = withoutPlaces(prompt, username);
  if (firstFactor.test(text)) return "password";
  if (/passcode/i.test(text)) return /option|\bor\b/i.test(text) ? "code" : "passcode";
  if (code.test(text)) return "code";
  if (word.test(text)) return change.test(text) ? "change" : "password";
  if (name.test(text)) return "name";
  // Some devices ask with an empty prompt, or only a colon.
  return /[\p{L}\p{N}]/u.test(text) ? "other" : "password";
}

/** `Password for admin@core-token1:`, `(admin@r1) Password:`: the names say nothing about the question. */
function withoutPlaces(prompt: string, username: string): string {
  const own = username.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const text = prompt
    .replace(/\S*@\S*/g, " : ")
    .replace(/\b(?:for|für|pour|para)\s+['`"]?[\w.\\-]+['`"]?/giu, " ");
  return own === ""
    ? text
    : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${own}(?![\\p{L}\\p{N}])`, "gu"), " ");
}
