/** Behaviour of standard globals in an isolate: a name, the body of a function, and its expected result. */
export const GLOBAL_FACTS: readonly { name: string; body: string; expected: unknown }[] = [
  {
    name: "structuredClone copies maps, sets, dates and nested arrays",
    body: `const from = { map: new Map([[1, new Date(5)]]), set: new Set(["a"]), list: [[1]] }; const to = structuredClone(from); to.list[0][0] = 2; return [to !== from, to.map.get(1) instanceof Date, to.map.get(1).getTime(), to.set.has("a"), from.list[0][0]];`,
    expected: [true, true, 5, true, 1],
  },
  {
    name: "structuredClone keeps cycles",
    body: `const a: any = { name: "a" }; a.self = a; const b = structuredClone(a); return [b.self === b, b !== a];`,
    expected: [true, true],
  },
  {
    name: "structuredClone refuses functions",
    body: `try { structuredClone(() => {}); return "cloned"; } catch (error: any) { return error.name; }`,
    expected: "DataCloneError",
  },
  {
    name: "AbortController aborts its signal once, with a reason",
    body: `const c = new AbortController(); let fired = 0; c.signal.addEventListener("abort", () => fired++); const before = c.signal.aborted; c.abort("why"); c.abort("again"); return [before, c.signal.aborted, c.signal.reason, fired];`,
    expected: [false, true, "why", 1],
  },
  {
    name: "an abort without a reason is an AbortError",
    body: `const c = new AbortController(); c.abort(); try { c.signal.throwIfAborted(); return "passed"; } catch (error: any) { return [error.name, error instanceof Error]; }`,
    expected: ["AbortError", true],
  },
  {
    name: "throwIfAborted passes while nothing happened",
    body: `new AbortController().signal.throwIfAborted(); return "passed";`,
    expected: "passed",
  },
  {
    name: "onabort is called",
    body: `const c = new AbortController(); let type = ""; c.signal.onabort = (event: any) => { type = event.type; }; c.abort(); return type;`,
    expected: "abort",
  },
  {
    name: "AbortSignal.abort is aborted from the start",
    body: `return [AbortSignal.abort("x").aborted, AbortSignal.abort("x").reason];`,
    expected: [true, "x"],
  },
  {
    name: "AbortSignal.timeout fires with a TimeoutError",
    body: `const s = AbortSignal.timeout(20); await new Promise((done) => s.addEventListener("abort", done)); return [s.aborted, (s.reason as any).name];`,
    expected: [true, "TimeoutError"],
  },
  {
    name: "AbortSignal.any follows the first of several",
    body: `const a = new AbortController(), b = new AbortController(); const s = AbortSignal.any([a.signal, b.signal]); const before = s.aborted; b.abort("b"); a.abort("a"); return [before, s.aborted, s.reason];`,
    expected: [false, true, "b"],
  },
  {
    name: "AbortSignal.any of an aborted signal is aborted",
    body: `return AbortSignal.any([new AbortController().signal, AbortSignal.abort("x")]).reason;`,
    expected: "x",
  },
  {
    name: "AbortSignal cannot be constructed",
    body: `try { new (AbortSignal as any)(); return "made"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
  {
    name: "EventTarget calls listeners in order, once where asked, and not after their removal",
    body: `const t = new EventTarget(); const heard: any[] = []; const gone = () => heard.push("gone"); t.addEventListener("x", () => heard.push("a")); t.addEventListener("x", () => heard.push("once"), { once: true }); t.addEventListener("x", gone); t.removeEventListener("x", gone); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return heard;`,
    expected: ["a", "once", "a"],
  },
  {
    name: "preventDefault shows in what dispatchEvent returns",
    body: `const t = new EventTarget(); t.addEventListener("x", (event: any) => event.preventDefault()); return [t.dispatchEvent(new Event("x", { cancelable: true })), t.dispatchEvent(new Event("x"))];`,
    expected: [false, true],
  },
  {
    name: "CustomEvent carries its detail",
    body: `const t = new EventTarget(); let got: any; t.addEventListener("x", (event: any) => { got = event.detail; }); t.dispatchEvent(new CustomEvent("x", { detail: { a: 1 } })); return got;`,
    expected: { a: 1 },
  },
  {
    name: "TextEncoder gives UTF-8",
    body: `return [...new TextEncoder().encode("aé€😀")];`,
    expected: [97, 195, 169, 226, 130, 172, 240, 159, 152, 128],
  },
  {
    name: "TextDecoder reads UTF-8 and replaces what is none",
    body: `return [new TextDecoder().decode(new Uint8Array([226, 130, 172])), new TextDecoder("utf-8").decode(new Uint8Array([97, 255]))];`,
    expected: ["€", "a\ufffd"],
  },
  {
    name: "TextDecoder refuses what is no UTF-8 when it is fatal",
    body: `try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])); return "read"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
  {
    name: "TextDecoder drops a byte order mark unless told to keep it",
    body: `const bytes = new Uint8Array([239, 187, 191, 97]); return [new TextDecoder().decode(bytes), new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).length];`,
    expected: ["a", 2],
  },
  {
    name: "TextDecoder joins a character that arrives in two parts",
    body: `const d = new TextDecoder(); return d.decode(new Uint8Array([226, 130]), { stream: true }) + d.decode(new Uint8Array([172]));`,
    expected: "€",
  },
  {
    name: "URL takes addresses apart",
    body: `const u = new URL("../b?q=1#h", "https://user@example.com:8443/a/c"); return [u.href, u.host, u.pathname, u.search, u.hash, u.origin];`,
    expected: [
      "https://user@example.com:8443/b?q=1#h",
      "example.com:8443",
      "/b",
      "?q=1",
      "#h",
      "https://example.com:8443",
    ],
  },
  {
    name: "URL refuses what is no address",
    body: `try { new URL("no address"); return "read"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
  {
    name: "URL.canParse says so beforehand",
    body: `return [URL.canParse("https://a"), URL.canParse("a")];`,
    expected: [true, false],
  },
  {
    name: "URLSearchParams reads, adds and writes",
    body: `const p = new URLSearchParams("a=1&b=x%20y&a=2"); p.append("c", "ä&"); p.delete("b"); return [p.getAll("a"), p.get("b"), String(p)];`,
    expected: [["1", "2"], null, "a=1&a=2&c=%C3%A4%26"],
  },
  {
    name: "a URL and its searchParams follow each other",
    body: `const u = new URL("https://a/?x=1"); u.searchParams.set("x", "2"); return u.href;`,
    expected: "https://a/?x=2",
  },
  {
    name: "atob and btoa are each other's inverse",
    body: `return [btoa("a\\u00ff"), atob("Yf8=")];`,
    expected: ["Yf8=", "a\u00ff"],
  },
  {
    name: "btoa refuses characters beyond a byte",
    body: `try { btoa("€"); return "encoded"; } catch (error: any) { return error.name; }`,
    expected: "InvalidCharacterError",
  },
  {
    name: "performance.now goes on and never back",
    body: `const a = performance.now(); await new Promise((done) => setTimeout(done, 30)); const b = performance.now(); return [a >= 0, b > a, performance.now() >= b];`,
    expected: [true, true, true],
  },
  {
    name: "crypto.randomUUID gives version 4 and another each time",
    body: `const all = Array.from({ length: 50 }, () => crypto.randomUUID()); return [new Set(all).size, all.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))];`,
    expected: [50, true],
  },
  {
    name: "crypto.getRandomValues fills the view it got, and only that",
    body: `const all = new Uint8Array(64); const part = new Uint8Array(all.buffer, 16, 32); const same = crypto.getRandomValues(part) === part; return [same, all.slice(0, 16).every((b) => b === 0), all.slice(48).every((b) => b === 0), new Set(part).size > 8];`,
    expected: [true, true, true, true],
  },
  {
    name: "crypto.getRandomValues fills wider integers",
    body: `return new Set(crypto.getRandomValues(new Uint32Array(20))).size;`,
    expected: 20,
  },
  {
    name: "crypto.getRandomValues refuses floats and more than 65536 bytes",
    body: `const names: any[] = []; for (const array of [new Float64Array(1), new Uint8Array(65537)]) try { crypto.getRandomValues(array as any); names.push("filled"); } catch (error: any) { names.push("refused"); } return names;`,
    expected: ["refused", "refused"],
  },
  {
    name: "queueMicrotask runs before timers and after the code that queued it",
    body: `const order: any[] = []; setTimeout(() => order.push("timer")); queueMicrotask(() => order.push("microtask")); order.push("code"); await new Promise((done) => setTimeout(done, 30)); return order;`,
    expected: ["code", "microtask", "timer"],
  },
  {
    name: "queueMicrotask refuses what is no function",
    body: `try { queueMicrotask(1 as any); return "queued"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
  {
    name: "timers fire in the order of their times, equal ones in the order they were set",
    body: `const order: any[] = []; setTimeout(() => order.push("late"), 60); setTimeout(() => order.push("a"), 5); setTimeout(() => order.push("b"), 5); await new Promise((done) => setTimeout(done, 120)); return order;`,
    expected: ["a", "b", "late"],
  },
  {
    name: "setTimeout passes its arguments on",
    body: `return await new Promise((done) => setTimeout((a: any, b: any) => done([a, b]), 1, "x", 2));`,
    expected: ["x", 2],
  },
  {
    name: "a cleared timer never fires",
    body: `let fired = 0; clearTimeout(setTimeout(() => fired++, 5)); const number = +setTimeout(() => fired++, 5); clearTimeout(number); const i = setInterval(() => fired++, 5); clearInterval(i); const m = setImmediate(() => fired++); clearImmediate(m); await new Promise((done) => setTimeout(done, 60)); return fired;`,
    expected: 0,
  },
  {
    name: "an interval fires until it is cleared",
    body: `let fired = 0; await new Promise<void>((done) => { const i = setInterval(() => { if (++fired === 3) { clearInterval(i); done(); } }, 5); }); await new Promise((done) => setTimeout(done, 60)); return fired;`,
    expected: 3,
  },
  {
    name: "refresh starts a timeout's time anew",
    body: `const start = performance.now(); return await new Promise((done) => { const t: any = setTimeout(() => done(performance.now() - start >= 180), 120); setTimeout(() => t.refresh(), 80); });`,
    expected: true,
  },
  {
    name: "a timeout that was refreshed when it was due does not fire then",
    body: `return await new Promise((done) => { let refreshed = 0;
      const t: any = setTimeout(() => done(performance.now() - refreshed >= 15), 20);
      setTimeout(() => { refreshed = performance.now(); t.refresh(); }, 10);
      for (const start = performance.now(); performance.now() - start < 40; );
    });`,
    expected: true,
  },
  {
    name: "a thousand timers are the most",
    body: `const all: any[] = []; try { for (let at = 0; at < 1001; at++) all.push(setTimeout(() => {}, 60_000)); return "no limit"; } catch (error: any) { return [all.length <= 1000, all.length > 900, error.code]; } finally { for (const t of all) clearTimeout(t); }`,
    expected: [true, true, "RATE_LIMITED"],
  },
  {
    name: "setTimeout refuses a text to run",
    body: `try { (setTimeout as any)("globalThis.ran = 1", 1); return "set"; } catch (error: any) { return error.name; }`,
    expected: "TypeError",
  },
];
