import java.io.*;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.MessageDigest;
import java.util.*;
import java.util.jar.*;
import java.util.logging.*;
import java.util.zip.ZipFile;
import sun.security.util.ManifestDigester; // needs --add-exports

/**
 * Tells what java.util.jar makes of manifests and archives.
 *
 *   m BYTES          parse a manifest
 *   d BYTES          parse a manifest: SHA-256 of its sections with their blank lines, and without
 *   p BYTES PACKAGE  parse a manifest, define a package by it
 *   a BYTES          parse a manifest: main class as the launcher has it, class path
 *   j PATH           manifest of an archive, and whether it is a multi-release one
 */
public class Manifests extends Requests {
    public static void main(String[] args) throws Exception {
        Logger quiet = Logger.getLogger("java.util.jar");
        quiet.setLevel(Level.OFF); // warns of attributes that stand twice
        serve(what -> {
            try {
                switch (what) {
                    case 'm': manifest(new Manifest(new ByteArrayInputStream(bytes()))); break;
                    case 'd': digests(bytes()); break;
                    case 'p': definePackage(bytes(), text()); break;
                    case 'a': wellKnown(new Manifest(new ByteArrayInputStream(bytes()))); break;
                    case 'j': archive(text()); break;
                    default: throw unknown(what);
                }
            } catch (IOException e) {
                line("error " + e.getMessage());
            }
        });
    }

    static void manifest(Manifest m) {
        attributes("main", m.getMainAttributes());
        for (Map.Entry<String, Attributes> e : new TreeMap<>(m.getEntries()).entrySet()) {
            line("section " + e.getKey());
            attributes("attribute", e.getValue());
        }
    }

    static void attributes(String what, Attributes a) {
        for (Map.Entry<Object, Object> e : a.entrySet())
            line(what + " " + e.getKey() + "=" + e.getValue());
    }

    static void digests(byte[] b) throws Exception {
        ManifestDigester d = new ManifestDigester(b);
        digest("main", d.getMainAttsEntry());
        for (String name : new TreeSet<>(new Manifest(new ByteArrayInputStream(b)).getEntries().keySet()))
            digest("section " + name, d.get(name));
    }

    static void digest(String what, ManifestDigester.Entry e) throws Exception {
        if (e == null) {
            line(what + " none");
            return;
        }
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        HexFormat hex = HexFormat.of();
        line(what + " " + hex.formatHex(e.digest(sha)) + " " + hex.formatHex(e.digestWorkaround(sha)));
    }

    static class Loader extends URLClassLoader {
        Loader() { super(new URL[0]); }

        Package define(String name, Manifest m) throws IOException {
            return definePackage(name, m, new URL("file:/x.jar"));
        }
    }

    static void definePackage(byte[] b, String name) throws IOException {
        Package p = new Loader().define(name, new Manifest(new ByteArrayInputStream(b)));
        line("package " + p.getSpecificationTitle() + "|" + p.getSpecificationVersion() + "|" + p.getSpecificationVendor()
            + "|" + p.getImplementationTitle() + "|" + p.getImplementationVersion() + "|" + p.getImplementationVendor()
            + "|" + p.isSealed());
    }

    static void wellKnown(Manifest m) {
        String main = m.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
        line("class " + (main == null ? "" : main.trim()));
        String path = m.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        StringTokenizer urls = new StringTokenizer(path == null ? "" : path);
        while (urls.hasMoreTokens())
            line("path " + urls.nextToken());
    }

    static void archive(String path) throws IOException {
        JarFile jar;
        try {
            jar = new JarFile(new File(path), true, ZipFile.OPEN_READ, Runtime.version());
        } catch (IOException e) {
            line("refused " + e.getMessage());
            return;
        }
        try (jar) {
            line("multi-release " + jar.isMultiRelease());
            Manifest m = jar.getManifest();
            if (m == null)
                line("none");
            else
                manifest(m);
        }
    }
}
