/** Bytes, case folding, hexadecimal floats and `*` in formats; expected results are Python 3.11's. */
import { expect, test } from "vitest";
import { createTestEngine, ctx } from "../../jinja2/test/support.ts";

const render = (source: string) => createTestEngine().compile(`{{ ${source} }}`, {}).run("{}", ctx);

test.each([
  ["'Straße'.casefold()", "strasse"],
  ["'ﬁ ŉ ẞ'.casefold()", "fi ʼn ss"],
  ["'ΑΣς'.casefold()", "ασσ"],
  ["'ıİ'.casefold()", "ıi̇"],
  ["'Ꭰꭰ'.casefold()", "ᎠᎠ"],
  ["'aé'.encode()", "b'a\\xc3\\xa9'"],
  ["'aé€'.encode('latin-1', 'backslashreplace')", "b'a\\xe9\\\\u20ac'"],
  ["'aé'.encode('ascii', 'xmlcharrefreplace')", "b'a&#233;'"],
  ["'aé'.encode('utf-16-le')", "b'a\\x00\\xe9\\x00'"],
  ["'a\\'b\"\\n\\x00'.encode()", "b'a\\'b\"\\n\\x00'"],
  ['"a\'b".encode()', 'b"a\'b"'],
  ["'abcdefg'.encode().hex(':', 3)", "61:626364:656667"],
  ["'abcdefg'.encode().hex(':', -2)", "6162:6364:6566:67"],
  ["'abc'.encode()[0], 'abc'.encode()[1:], 'abc'.encode() | length", "(97, b'bc', 3)"],
  ["'é'.encode('latin1').decode('utf-8', 'replace')", "\ufffd"],
  ["'€𝄞'.encode().decode()", "€𝄞"],
  ["'ab'.encode('utf-16').decode('utf-16')", "ab"],
  ["'a,b'.encode().split(','.encode())", "[b'a', b'b']"],
  ["'abc'.encode() == 'abc', 'abc'.encode() == 'abc'.encode(), 97 in 'abc'.encode()", "(False, True, True)"],
  [
    "(258).to_bytes(2, 'big'), (258).to_bytes(4, 'little'), (5).to_bytes()",
    "(b'\\x01\\x02', b'\\x02\\x01\\x00\\x00', b'\\x05')",
  ],
  ["(-2).to_bytes(2, 'big', signed=true)", "b'\\xff\\xfe'"],
  ["(2**70).to_bytes(9, 'little').hex()", "000000000000000040"],
  [
    "(3.5).hex(), (0.1).hex(), (5e-324).hex(), (-0.0).hex()",
    "('0x1.c000000000000p+1', '0x1.999999999999ap-4', '0x0.0000000000001p-1022', '-0x0.0p+0')",
  ],
  [
    "(0.5).as_integer_ratio(), (1e22).as_integer_ratio(), (3).as_integer_ratio()",
    "((1, 2), (10000000000000000000000, 1), (3, 1))",
  ],
  ["'%*d|%-*d|%.*f' % (5, 3, 4, 7, 2, 3.14159)", "    3|7   |3.14"],
  ["'%*d' % (true, 3)", "3"],
])("the expression %s has Python's result", (source, answer) => {
  expect(render(source)).toBe(answer);
});

test.each([
  ["'é'.encode('ascii')", "UnicodeEncodeError: 'ascii' codec can't encode character '\\xe9' in position 0"],
  ["'é'.encode('nosuch')", "LookupError: unknown encoding: nosuch"],
  ["'é'.encode('latin1').decode()", "UnicodeDecodeError"],
  ["(258).to_bytes(1, 'big')", "OverflowError: int too big to convert"],
  ["(128).to_bytes(1, 'big', signed=true)", "OverflowError: int too big to convert"],
  ["(-1).to_bytes(1, 'big')", "OverflowError: can't convert negative int to unsigned"],
  ["'a' + 'b'.encode()", "TypeError"],
  ["'abc'.encode() * 99999999", "TemplateLimit"],
  ["'a'.encode() | tojson", "TypeError: filter 'tojson': Object of type bytes is not JSON serializable"],
  ["'%5%' % 3", "unsupported format character '%'"],
])("the expression %s fails as in Python", (source, message) => {
  const error: unknown = (() => {
    try {
      return render(source);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(`${error instanceof Error && "kind" in error ? error.kind : ""} ${String(error)}`).toContain(
    message,
  );
});
