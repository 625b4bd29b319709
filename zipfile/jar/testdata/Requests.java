import java.io.*;
import java.nio.charset.StandardCharsets;

/**
 * What the programs beside this one have in common. Standard input holds requests: a byte that says what is
 * asked, and arguments, each as a length of four bytes and bytes. An answer is a number of lines and an empty
 * one; in lines all but printable ASCII is written as in Java sources.
 */
class Requests {
    interface Answers {
        /** Reads the arguments of a request and writes the lines of its answer. */
        void to(int what) throws Exception;
    }

    static final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    static final PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
        false, StandardCharsets.US_ASCII);

    static void serve(Answers answers) throws Exception {
        for (int what; (what = in.read()) >= 0; ) {
            answers.to(what);
            line("");
        }
        out.flush();
    }

    static AssertionError unknown(int what) { return new AssertionError("no such request: " + what); }

    static byte[] bytes() throws IOException {
        byte[] b = new byte[in.readInt()];
        in.readFully(b);
        return b;
    }

    static String text() throws IOException { return new String(bytes(), StandardCharsets.UTF_8); }

    static void line(String s) {
        StringBuilder b = new StringBuilder(s.length() + 1);
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c < ' ' || c > '~' || c == '\\')
                b.append(String.format("\\u%04x", (int) c));
            else
                b.append(c);
        }
        out.append(b.append('\n'));
    }
}
