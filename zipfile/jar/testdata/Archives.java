import java.io.*;
import java.security.*;
import java.security.cert.*;
import java.util.*;
import java.util.jar.*;
import java.util.logging.*;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;

/**
 * Signs archives, and tells what java.util.jar.JarFile makes of signed and multi-release ones.
 *
 *   k STORE ALIAS ALGORITHM SIZE GROUP                   make a key; SIZE or GROUP may be empty
 *   s STORE ALIAS IN OUT DIGEST ALGORITHM NAME PROPERTY  sign IN; DIGEST, ALGORITHM, PROPERTY may be empty
 *   v PATH                                               verify: each entry as signed N, unsigned or bad
 *   r PATH RELEASE                                       names of a release, and what they stand for
 */
public class Archives extends Requests {
    static final char[] PASSWORD = "changeit".toCharArray();

    public static void main(String[] args) throws Exception {
        Logger.getLogger("java.util.jar").setLevel(Level.OFF);
        serve(what -> {
            switch (what) {
                case 'k': key(text(), text(), text(), text(), text()); break;
                case 's': sign(text(), text(), text(), text(), text(), text(), text(), text()); break;
                case 'v': verify(text()); break;
                case 'r': release(text(), Integer.parseInt(text())); break;
                default: throw unknown(what);
            }
        });
    }

    static void key(String store, String alias, String algorithm, String size, String group) throws Exception {
        List<String> args = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-keyalg", algorithm,
            "-dname", "CN=" + alias, "-validity", "36500", "-keystore", store, "-storepass", new String(PASSWORD)));
        if (!size.isEmpty())
            args.addAll(List.of("-keysize", size));
        if (!group.isEmpty())
            args.addAll(List.of("-groupname", group));
        PrintStream err = System.err, stdout = System.out;
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        sun.security.tools.keytool.Main.main(args.toArray(new String[0]));
        System.setErr(err);
        System.setOut(stdout);
    }

    static void sign(String store, String alias, String from, String to, String digest, String algorithm,
            String name, String property) throws Exception {
        KeyStore keys = KeyStore.getInstance(new File(store), PASSWORD);
        CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(Arrays.asList(keys.getCertificateChain(alias)));
        JarSigner.Builder b = new JarSigner.Builder((PrivateKey) keys.getKey(alias, PASSWORD), path).signerName(name);
        if (!digest.isEmpty())
            b.digestAlgorithm(digest);
        if (!algorithm.isEmpty())
            b.signatureAlgorithm(algorithm);
        if (!property.isEmpty())
            b.setProperty(property, "true");
        try (ZipFile zip = new ZipFile(from); OutputStream o = new FileOutputStream(to)) {
            b.build().sign(zip, o);
        }
    }

    static void verify(String path) throws IOException {
        JarFile jar;
        try {
            jar = new JarFile(new File(path), true, ZipFile.OPEN_READ);
        } catch (IOException e) {
            line("refused " + e.getMessage());
            return;
        }
        byte[] buffer = new byte[1 << 16];
        try (jar) {
            Enumeration<JarEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                JarEntry e = entries.nextElement();
                if (e.isDirectory())
                    continue;
                try (InputStream s = jar.getInputStream(e)) {
                    while (s.read(buffer) >= 0)
                        ;
                    CodeSigner[] signers = e.getCodeSigners();
                    line((signers == null ? "unsigned" : "signed " + signers.length) + " " + e.getName());
                } catch (IOException | SecurityException | IllegalArgumentException x) {
                    line("bad " + e.getName());
                }
            }
        } catch (RuntimeException x) {
            line("failed " + x);
        }
    }

    static void release(String path, int release) throws IOException {
        JarFile jar;
        try {
            jar = new JarFile(new File(path), false, ZipFile.OPEN_READ, Runtime.Version.parse("" + release));
        } catch (IOException e) {
            line("refused " + e.getMessage());
            return;
        }
        try (jar) {
            line("multi-release " + jar.isMultiRelease());
            jar.versionedStream().forEach(e -> line(e.getName() + " = " + e.getRealName()));
            line("all");
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry e = jar.getJarEntry(entries.nextElement().getName());
                line(e.getName() + " = " + e.getRealName());
            }
        } catch (RuntimeException x) {
            line("failed " + x);
        }
    }
}
