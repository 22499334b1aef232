/** What came of one recording. `problem` says at what it differs; `count` is of its requests. */
export interface Verdict {
  name: string;
  seconds: number;
  count: number;
  problem: string | undefined;
  updated: boolean;
}

/** How the verdicts of a replay are written. */
export type ReporterName = 'text' | 'junit';

/** Writes verdicts: each as it comes, or all at the end. */
export interface Reporter {
  tell: (verdict: Verdict) => void;
  end: () => void;
}

/** The reporter of that name. */
export function createReporter(name: ReporterName, write: (text: string) => void): Reporter {
  switch (name) {
    case 'text':
      return createTextReporter(write);
    case 'junit':
      return createJunitReporter(write);
  }
}

function createTextReporter(write: (text: string) => void): Reporter {
  let passed = 0;
  let differ = 0;
  return {
    tell({ name, seconds, count, problem, updated }) {
      if (problem === undefined) passed += 1;
      else differ += 1;
      const done = updated ? 'taken over' : 'the same';
      write(
        problem === undefined
          ? `✓ ${name}: ${done}, ${count} requests, ${seconds.toFixed(1)} s\n`
          : `✗ ${name}: ${problem}\n`,
      );
    },
    end: () => write(`${passed} passed, ${differ} failed\n`),
  };
}

function createJunitReporter(write: (text: string) => void): Reporter {
  const verdicts: Verdict[] = [];
  return {
    tell: (verdict) => void verdicts.push(verdict),
    end() {
      const failures = verdicts.filter(({ problem }) => problem !== undefined).length;
      const seconds = verdicts.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
      const counts = `tests="${verdicts.length}" failures="${failures}" time="${seconds}"`;
      write('<?xml version="1.0" encoding="UTF-8"?>\n');
      write(`<testsuites ${counts}>\n  <testsuite name="planfold replay" ${counts}>\n`);
      write(verdicts.map(toTestCase).join(''));
      write('  </testsuite>\n</testsuites>\n');
    },
  };
}

function toTestCase({ name, seconds, problem }: Verdict): string {
  const names = `classname="planfold.replay" name="${escapeXml(name)}"`;
  const head = `    <testcase ${names} time="${seconds.toFixed(3)}"`;
  if (problem === undefined) return `${head}/>\n`;
  const failure = `<failure message="${escapeXml(problem)}"/>`;
  return `${head}>\n      ${failure}\n    </testcase>\n`;
}

// What XML cannot hold at all, escaped or not, stands as the replacement character.
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"'\n\r\t]/g, (found) => `&#${found.codePointAt(0)};`);
}
