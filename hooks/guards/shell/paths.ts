import { HOME, ONE, STAR, UNKNOWN } from "./marks.ts";

/** Folders with the files of a system or of all its users: to empty one is to lose the machine. */
const SYSTEM_FOLDERS =
  "/applications /bin /boot /dev /etc /home /lib /lib32 /lib64 /library /media /mnt /opt /private /private/etc /private/var /proc /root /run /sbin /srv /sys /system /users /usr /usr/bin /usr/lib /usr/lib64 /usr/local /usr/sbin /usr/share /var /var/lib /volumes /c /mnt/c".split(
    " ",
  );
const PROTECTED = new Set(["/", ".", "..", "", HOME, ...SYSTEM_FOLDERS]);
const USER_FOLDER = /^\/(home|users|var\/home|mnt\/c\/users|c\/users)\/[^/]+$/;
const PARENTS = /^\.\.(\/\.\.)*$/;
const DRIVE = /^[a-z]:[\\/]?$/;

/** The system folders whose modes, and the modes of everything below, the system depends on. */
const MODES_MATTER =
  /^\/(bin|boot|dev|etc|lib|lib32|lib64|library|private|proc|root|sbin|sys|system|usr|var)(\/|$)|^\/(home|users|opt|srv)?$/;

const SYSTEM_FILES = ["/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/gshadow", "/etc/master.passwd"];

/** A disk, a partition, or the memory. */
const DISK =
  /^\/dev\/(([shv]d|xvd)[a-z]|nvme\d|mmcblk\d|r?disk|loop\d|dm-|md\d|mapper\/|nbd\d|sr\d|zd\d|mem$|kmem$|port$|block\/|mtd)/;
/** Files under /dev that lose nothing when someone writes to them. */
const NO_DISK =
  /^\/dev\/(null|zero|full|random|urandom|stdin|stdout|stderr|fd|tty[^/]*|pts|ptmx|console|shm|tcp|udp|log|kmsg|lp\d*|dsp|cu\.[^/]*|clipboard|usb)(\/|$)/;

/**
 * Resolves `.`, `..` and repeated slashes in a path, from `folder` if it is known ("" if not). A result that is
 * relative is relative to an unknown folder.
 */
export function resolvePath(path: string, folder: string): string {
  const absolute = path.startsWith("/") || path.startsWith(HOME);
  const full = absolute || folder === "" ? path : `${folder}/${path}`;
  let root = full.startsWith("/") ? "/" : "";
  const kept: string[] = [];
  for (const part of full.split("/")) {
    const last = kept[kept.length - 1];
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (last === HOME) {
      // The folder above a home folder contains those of all users.
      kept[0] = "home";
      root = "/";
    } else if (last !== undefined && last !== "..") kept.pop();
    else if (root === "") kept.push("..");
  }
  return root + kept.join("/") || ".";
}

/** The folder whose whole content a path like `x/*` or `x/.*` means, or undefined for other paths. */
export function emptied(path: string): string | undefined {
  let rest = path;
  for (;;) {
    const slash = rest.lastIndexOf("/");
    const last = rest.slice(slash + 1);
    if (!last.includes(STAR) || !new RegExp(`^[.!${STAR}${ONE}]+$`).test(last)) break;
    rest = slash === 0 ? "/" : slash < 0 ? "." : rest.slice(0, slash);
  }
  return rest === path ? undefined : rest;
}

/** Whether to empty `path` (from `resolvePath`) would lose a system, a home folder or the whole working folder. */
export function isProtected(path: string): boolean {
  const name = path.toLowerCase();
  if (PROTECTED.has(name) || USER_FOLDER.test(name) || PARENTS.test(name) || DRIVE.test(name)) return true;
  return hasGlob(name) && name.startsWith("/") && [...SYSTEM_FOLDERS, "/home/user"].some((it) => globFits(name, it));
}

export function isRoot(path: string): boolean {
  return path === "/" || emptied(path) === "/";
}

/** Whether `path` is a system folder, or in one. */
export function isOfSystem(path: string): boolean {
  const name = (emptied(path) ?? path).toLowerCase();
  return MODES_MATTER.test(name) || (hasGlob(name) && isProtected(name));
}

/** Whether `path` is a file that decides who may log in, or a file below /etc/sudoers.d. */
export function isSystemFile(path: string): boolean {
  const name = path.toLowerCase().replace(/^\/private\//, "/");
  if (SYSTEM_FILES.includes(name) || name.startsWith("/etc/sudoers.d/")) return true;
  return hasGlob(name) && SYSTEM_FILES.some((it) => globFits(name, it));
}

export function isDisk(path: string): boolean {
  const name = path.toLowerCase();
  return DISK.test(name) || (hasGlob(name) && /^\/dev\//.test(name) && !NO_DISK.test(name));
}

/** For programs that work on disks: any path under /dev that is not known to be harmless. */
export function isDevice(path: string): boolean {
  return /^\/dev\/./.test(path) && !NO_DISK.test(path.toLowerCase());
}

export function isNetwork(path: string): boolean {
  return /^\/dev\/(tcp|udp)\//.test(path);
}

export function hasGlob(text: string): boolean {
  return text.includes(STAR) || text.includes(ONE);
}

/** Whether a pattern with stars matches `text`. A star matches no slash. The time is proportional to both lengths. */
export function globFits(pattern: string, text: string): boolean {
  let at = 0;
  let mark = 0;
  let star = -1;
  let from = 0;
  while (mark < text.length) {
    const wanted = pattern[at];
    if (wanted === STAR) {
      star = at++;
      from = mark;
    } else if (wanted === text[mark] || (wanted === ONE && text[mark] !== "/")) {
      at++;
      mark++;
    } else if (star >= 0 && text[from] !== "/") {
      at = star + 1;
      mark = ++from;
    } else return false;
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The name of a program in the rules: without its folder, in lower case (since some file systems ignore case), and
 * without unknown variables, which expand to nothing in `r${x}m`.
 */
export function programName(word: string): string {
  return baseName(word.replaceAll(UNKNOWN, ""))
    .toLowerCase()
    .replace(/\.exe$/, "");
}
