// SPDX-License-Identifier: LGPL-2.1-or-later
//! The library by plain FFI, without a crate: the histogram of a buffer, the equalizer, and rules
//! of health with their error. Built against what is installed, by tests/python/installed.py.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_double, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

const WIDTH: usize = 16;
const HEIGHT: usize = 8;
const PIXELS: usize = WIDTH * HEIGHT;
const LUMA: c_int = 0;
const BACKEND_CPU: c_int = 1;
const METHOD_GAMMA: c_int = 3;
const ERROR_SPEC: c_int = 2;
const ERROR_PARSE: c_int = 6;
const PADDING: usize = 4;

#[repr(C)]
struct GError {
    domain: u32,
    code: c_int,
    message: *const c_char,
}

/// GstVideoHistogramSpec
#[repr(C)]
struct Spec {
    channels: c_uint,
    bins: c_uint,
    columns: c_uint,
    rows: c_uint,
    region_x: c_uint,
    region_y: c_uint,
    region_width: c_uint,
    region_height: c_uint,
    method: c_int,
    joint: c_int,
    joint_bins: c_uint,
    reserved: [*mut c_void; PADDING],
}

/// GstVideoEqualizerSettings
#[repr(C)]
struct EqualizerSettings {
    method: c_int,
    color: c_int,
    strength: c_double,
    low_percentile: c_double,
    high_percentile: c_double,
    max_gain: c_double,
    target: c_double,
    clip_limit: c_double,
    tile_columns: c_uint,
    tile_rows: c_uint,
    smoothing: u64,
    scene_threshold: c_double,
    region: [c_uint; 4],
    reserved: [*mut c_void; PADDING - 2],
}

extern "C" {
    fn gst_init(argc: *mut c_int, argv: *mut *mut *mut c_char);
    fn gst_caps_from_string(text: *const c_char) -> *mut c_void;
    fn gst_buffer_new_allocate(pool: *mut c_void, size: usize, params: *mut c_void)
        -> *mut c_void;
    fn gst_buffer_fill(buffer: *mut c_void, at: usize, data: *const u8, size: usize) -> usize;
    fn gst_buffer_extract(buffer: *mut c_void, at: usize, data: *mut u8, size: usize) -> usize;
    fn gst_mini_object_unref(object: *mut c_void);
    fn g_object_unref(object: *mut c_void);
    fn g_free(memory: *mut c_void);
    fn g_error_free(error: *mut GError);

    fn gst_video_histogram_error_quark() -> u32;
    fn gst_video_histogram_engine_new() -> *mut c_void;
    fn gst_video_histogram_engine_open(engine: *mut c_void, backend: c_int, device: c_int,
        element: *mut c_void, error: *mut *mut GError) -> c_int;
    fn gst_video_histogram_engine_configure(engine: *mut c_void, caps: *mut c_void,
        spec: *const Spec, error: *mut *mut GError) -> c_int;
    fn gst_video_histogram_engine_submit(engine: *mut c_void, buffer: *mut c_void,
        segment: *const c_void, wait: c_int, error: *mut *mut GError) -> *mut c_void;
    fn gst_video_histogram_spec_init(spec: *mut Spec);
    fn gst_video_histogram_get_counts(histogram: *mut c_void, channel: c_int, n: *mut c_uint)
        -> *const u32;

    fn gst_video_equalizer_new() -> *mut c_void;
    fn gst_video_equalizer_open(equalizer: *mut c_void, device: c_int, element: *mut c_void,
        error: *mut *mut GError) -> c_int;
    fn gst_video_equalizer_configure(equalizer: *mut c_void, caps: *mut c_void,
        error: *mut *mut GError) -> c_int;
    fn gst_video_equalizer_settings_init(settings: *mut EqualizerSettings);
    fn gst_video_equalizer_set_settings(equalizer: *mut c_void,
        settings: *const EqualizerSettings, error: *mut *mut GError) -> c_int;
    fn gst_video_equalizer_process(equalizer: *mut c_void, from: *mut c_void, to: *mut c_void,
        error: *mut *mut GError) -> c_int;

    fn gst_video_health_new() -> *mut c_void;
    fn gst_video_health_set_rules(health: *mut c_void, rules: *const c_char,
        error: *mut *mut GError) -> c_int;
    fn gst_video_health_dup_rules(health: *mut c_void) -> *mut c_char;
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn to_text(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

/// What a function that can fail returned, or its code of GST_VIDEO_HISTOGRAM_ERROR and message.
fn check<T>(call: impl FnOnce(*mut *mut GError) -> T) -> Result<T, (c_int, String)> {
    let mut error: *mut GError = null_mut();
    let result = call(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    let (domain, code, text) =
        unsafe { ((*error).domain, (*error).code, to_text((*error).message)) };
    unsafe { g_error_free(error) };
    assert_eq!(domain, unsafe { gst_video_histogram_error_quark() });
    Err((code, text))
}

/// Luma from 40 to 55, a column each.
fn make_frame() -> *mut c_void {
    let samples: Vec<u8> = (0..PIXELS).map(|i| 40 + (i % WIDTH) as u8).collect();
    unsafe {
        let buffer = gst_buffer_new_allocate(null_mut(), PIXELS, null_mut());
        assert_eq!(gst_buffer_fill(buffer, 0, samples.as_ptr(), PIXELS), PIXELS);
        buffer
    }
}

unsafe fn use_histogram(caps: *mut c_void) {
    let engine = gst_video_histogram_engine_new();
    let mut spec = std::mem::MaybeUninit::<Spec>::uninit();
    gst_video_histogram_spec_init(spec.as_mut_ptr());
    let mut spec = spec.assume_init();
    assert_eq!((spec.channels, spec.bins, spec.columns, spec.rows), (1, 0, 1, 1));
    spec.bins = 64;
    assert_eq!(spec.joint_bins, 0);
    check(|e| gst_video_histogram_engine_open(engine, BACKEND_CPU, -1, null_mut(), e)).unwrap();
    check(|e| gst_video_histogram_engine_configure(engine, caps, &spec, e)).unwrap();
    let frame = make_frame();
    let histogram =
        check(|e| gst_video_histogram_engine_submit(engine, frame, null(), 0, e)).unwrap();
    let mut n = 0;
    let counts = gst_video_histogram_get_counts(histogram, LUMA, &mut n);
    let counts = std::slice::from_raw_parts(counts, n as usize);
    assert_eq!(counts.len(), 64);
    for (bin, count) in counts.iter().enumerate() {
        assert_eq!(*count as usize, if (10..14).contains(&bin) { PIXELS / 4 } else { 0 });
    }
    gst_mini_object_unref(histogram);

    spec.bins = 1 << 20;
    let error = check(|e| gst_video_histogram_engine_configure(engine, caps, &spec, e));
    assert_eq!(error.unwrap_err().0, ERROR_SPEC);
    gst_mini_object_unref(frame);
    g_object_unref(engine);
}

unsafe fn use_equalizer(caps: *mut c_void) {
    let equalizer = gst_video_equalizer_new();
    let mut settings = std::mem::MaybeUninit::<EqualizerSettings>::uninit();
    gst_video_equalizer_settings_init(settings.as_mut_ptr());
    let mut settings = settings.assume_init();
    assert_eq!((settings.smoothing, settings.strength), (500_000_000, 1.0));
    settings.method = METHOD_GAMMA;
    check(|e| gst_video_equalizer_open(equalizer, -1, null_mut(), e)).unwrap();
    check(|e| gst_video_equalizer_configure(equalizer, caps, e)).unwrap();

    settings.smoothing = 2;
    let (code, text) =
        check(|e| gst_video_equalizer_set_settings(equalizer, &settings, e)).unwrap_err();
    assert_eq!(code, ERROR_SPEC);
    assert!(text.contains("2000000000 for 2 seconds"), "{}", text);
    settings.smoothing = 0;
    check(|e| gst_video_equalizer_set_settings(equalizer, &settings, e)).unwrap();

    let (dark, bright) = (make_frame(), make_frame());
    check(|e| gst_video_equalizer_process(equalizer, dark, bright, e)).unwrap();
    let mut samples = [0u8; PIXELS];
    assert_eq!(gst_buffer_extract(bright, 0, samples.as_mut_ptr(), PIXELS), PIXELS);
    assert!(samples.iter().all(|sample| *sample > 55), "{:?}", samples);
    gst_mini_object_unref(dark);
    gst_mini_object_unref(bright);
    g_object_unref(equalizer);
}

unsafe fn use_health() {
    let health = gst_video_health_new();
    let set = |rules: &str| {
        let rules = c_string(rules);
        check(|e| gst_video_health_set_rules(health, rules.as_ptr(), e))
    };
    let get = || {
        let rules = gst_video_health_dup_rules(health);
        let text = to_text(rules);
        g_free(rules as *mut c_void);
        text
    };
    set("dark,enter=0.9,leave=0.8,duration=1.5s,hold=500ms").unwrap();
    let before = get();
    assert!(before.contains("dark,enter=0.9,leave=0.8,duration=1.5s,hold=500ms"), "{}", before);
    let (code, text) = set("dark,duration=2").unwrap_err();
    assert_eq!(code, ERROR_PARSE);
    assert!(text.contains("write \"duration=2s\" or \"duration=2000ms\""), "{}", text);
    assert_eq!(get(), before);
    g_object_unref(health);
}

fn main() {
    let caps = c_string("video/x-raw,format=GRAY8,width=16,height=8,framerate=25/1");
    unsafe {
        gst_init(null_mut(), null_mut());
        let caps = gst_caps_from_string(caps.as_ptr());
        use_histogram(caps);
        use_equalizer(caps);
        use_health();
        gst_mini_object_unref(caps);
    }
}
