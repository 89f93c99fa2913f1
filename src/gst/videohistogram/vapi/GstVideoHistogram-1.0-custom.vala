// SPDX-License-Identifier: LGPL-2.1-or-later
// Constructors of structs, which fill them in, and the functions that do.
namespace Gst {
	public struct VideoEqualizerSettings {
		[CCode (cname = "gst_video_equalizer_settings_init")]
		public VideoEqualizerSettings ();
	}
	public struct VideoHistogramInfo {
		[CCode (cname = "gst_video_histogram_info_init")]
		public VideoHistogramInfo ();
	}
	public struct VideoHistogramSpec {
		[CCode (cname = "gst_video_histogram_spec_init")]
		public VideoHistogramSpec ();
	}
	public struct VideoScopeSettings {
		[CCode (cname = "gst_video_scope_settings_init")]
		public VideoScopeSettings ();
	}
	[CCode (cheader_filename = "gst/videohistogram/videohistogram.h")]
	public static void video_equalizer_settings_init (out Gst.VideoEqualizerSettings settings);
	[CCode (cheader_filename = "gst/videohistogram/videohistogram.h")]
	public static void video_histogram_info_init (out Gst.VideoHistogramInfo info);
	[CCode (cheader_filename = "gst/videohistogram/videohistogram.h")]
	public static void video_histogram_spec_init (out Gst.VideoHistogramSpec spec);
	[CCode (cheader_filename = "gst/videohistogram/videohistogram.h")]
	public static void video_scope_settings_init (out Gst.VideoScopeSettings settings);
}
